package rules

import (
	"mime"
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// extensionsConformance are those of all extensions of the table (SEP-2133), of
// io.modelcontextprotocol/ui (SEP-1865), and of the server card (SEP-2127), compared with
// what the server does. What an app does in its iframe is in no recording.
var extensionsConformance = []formal{
	{
		id: "extension-undeclared", on: diagnose.Results | diagnose.Errors, methods: extensionMethods(), when: ofClient,
		check: checkUndeclared,
	},
	{
		id: "extension-needs-missing", on: diagnose.Results, methods: []string{mcp.Initialize, mcp.Discover},
		check: func(c *diagnose.Case) {
			caps := c.Result("capabilities")
			if c.Call == nil || c.Call.Dir != wire.ToServer || caps == nil {
				return
			}
			for _, x := range mcp.Extensions() {
				if !diagnose.Capability(caps, "extensions", x.ID) {
					continue
				}
				for _, need := range x.Needs {
					if !diagnose.Capability(caps, need) {
						c.Say(x.ID+need, c.Server()+" declares "+x.Name+" ("+quote(x.ID)+", "+frame(c.N)+") and not the capability "+quote(need)+", which it needs.",
							c.N, c.Call.N)
					}
				}
			}
		},
	},
	{
		id: "app-resource-scheme", on: diagnose.Results, methods: []string{mcp.ToolsList}, when: ofClient,
		check: func(c *diagnose.Case) {
			wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
				uri := session.ReadApp(tool).Resource
				if uri == "" || strings.HasPrefix(uri, appScheme) {
					return true
				}
				name := text(wire.Get(tool, "name"))
				c.ReportAs(name, diagnose.Finding{
					Message: "The tool " + quote(name) + " (" + frame(c.N) + ") has the app " + quote(uri) + ", and apps are resources whose URI begins with ui://.",
					Frames:  []uint64{c.N, c.Call.N}, Items: []string{name}, Place: "/result/tools/" + number(i) + "/_meta/ui/resourceUri",
				})
				return true
			})
		},
	},
	{
		id: "app-resource-missing", on: diagnose.Errors, methods: []string{mcp.ResourcesRead},
		check: func(c *diagnose.Case) {
			t := appRead(c)
			code := errorCode(c)
			unknown := code == mcp.CodeInvalidParams || code == mcp.CodeResourceNotFound
			if t == nil || !unknown && !kindOf(mcp.ResourcesRead).errs(c) && !knowsNoMethod(c) {
				return
			}
			f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, t.N}, Items: []string{t.Name}}
			f.Message = "The tool " + quote(t.Name) + " (" + frame(t.N) + ") has the app " + quote(c.Call.Target) + ", and the server does not know that resource (" + frame(c.N) + "): "
			f.Message += quote(errorText(c)) + ". A host shows no app."
			c.ReportAs(c.Call.Target, f)
		},
	},
	{
		id: "app-resource-type", on: diagnose.Results, methods: []string{mcp.ResourcesRead},
		check: checkAppType,
	},
	{
		id: "app-tool-called", on: diagnose.Requests, methods: []string{mcp.ToolsCall},
		check: func(c *diagnose.Case) {
			if c.Call == nil || c.Facts == nil || c.Dir != wire.ToServer {
				return
			}
			t := c.Facts.Tools[c.Call.Target]
			if t == nil || !t.App.AppOnly {
				return
			}
			caps, n := c.Call.Caps, c.N
			if !c.Call.Modern {
				if !c.Facts.Negotiated() {
					return
				}
				caps, n = c.Facts.Init.ClientCaps, c.Facts.Init.N
			}
			if caps == nil || diagnose.Capability(caps, "extensions", mcp.ExtensionApps) {
				return
			}
			frames := []uint64{c.N, t.N}
			if n != c.N {
				frames = append(frames, n)
			}
			c.Say(t.Name, c.Client()+" called "+quote(t.Name)+" ("+frame(c.N)+"), which only an app may call ("+frame(t.N)+"), and it does not declare that it shows apps ("+frame(n)+"): the model called it.",
				frames...)
		},
	},
	{
		id: "server-card-differs", on: diagnose.OtherBodies | diagnose.Finish,
		check: func(c *diagnose.Case) {
			cards := diagnose.Shared[cardsSeen](c)
			switch {
			case c.N == 0:
				for i := range cards.all {
					compareCard(c, &cards.all[i])
				}
			case c.Exchange != nil && c.Exchange.Verb == "GET" && c.Exchange.Status == 200 && mcp.IsCard(c.Exchange.Path):
				cards.learn(c)
			}
		},
	},
}

// extensionMethods are the requests of the extensions, but for those of tasks, which have
// rules of their own.
func extensionMethods() []string {
	var methods []string
	for _, x := range mcp.Extensions() {
		for _, m := range x.Methods {
			if x.ID != mcp.ExtensionTasks {
				methods = append(methods, m.Name)
			}
		}
	}
	return methods
}

// declares says whether a server declares an extension, at its place or where else some
// implementations have it.
func declares(o *diagnose.Offer, x *mcp.Extension) bool {
	return diagnose.Capability(o.Caps, "extensions", x.ID) || dialectOf(o, x) != ""
}

// dialectOf is where else than at its place a server declares an extension, "" for nowhere.
func dialectOf(o *diagnose.Offer, x *mcp.Extension) string {
	for _, name := range x.Dialects {
		if diagnose.Capability(o.Caps, name) {
			return name
		}
	}
	return ""
}

// checkUndeclared looks at what came of a request that the declaration of the server does
// not allow.
func checkUndeclared(c *diagnose.Case) {
	made := &c.Facts.Offered
	x, m := mcp.ExtensionOf(c.Call.Method)
	if m == nil || len(made.Caps) == 0 || byTransport(c) {
		return
	}
	what := "the extension " + quote(x.ID)
	switch {
	case !declares(made, x):
	case m.Setting != "" && !diagnose.Capability(made.Caps, "extensions", x.ID, m.Setting):
		what = "the setting " + quote(m.Setting) + " of " + quote(x.ID)
	default:
		return
	}
	f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, made.N}}
	f.Message = c.Client() + " sent " + quote(c.Call.Method) + " (" + frame(c.Call.N) + "), and the server did not declare " + what + " (" + frame(made.N) + ")."
	if c.Message.Kind == wire.MsgResult {
		f.Side = diagnose.Server
		f.Message += " It got a result all the same (" + frame(c.N) + "): other clients never ask."
	} else {
		f.Side = diagnose.Client
		f.Message += " It was refused (" + frame(c.N) + "): " + quote(errorText(c)) + "."
		if m.Setting == "" && strings.HasSuffix(m.Name, "/list") {
			f.Severity, f.Harmless = diagnose.Note, true // so a client finds out
		}
	}
	c.ReportAs(c.Call.Method+f.Side.String(), f)
}

const (
	appScheme = "ui://"
	appType   = "text/html;profile=mcp-app"
)

type appIndex struct {
	list uint64 // frame of the tools/list result that it is of
	by   map[string]*diagnose.Tool
}

// appRead is the tool whose app the resources/read in hand asks for, nil for none.
func appRead(c *diagnose.Case) *diagnose.Tool {
	if c.Call == nil || c.Facts == nil || c.Session == nil || c.Call.Dir != wire.ToServer || c.Facts.ToolList == 0 {
		return nil
	}
	x := diagnose.Common[appIndex](c)
	if x.list != c.Facts.ToolList {
		*x = appIndex{list: c.Facts.ToolList, by: map[string]*diagnose.Tool{}}
		for _, name := range sortedKeys(c.Facts.Tools) {
			t := c.Facts.Tools[name]
			if uri := t.App.Resource; uri != "" && x.by[uri] == nil {
				x.by[uri] = t
			}
		}
	}
	return x.by[c.Call.Target]
}

// checkAppType looks at what a host gets to show as an app.
func checkAppType(c *diagnose.Case) {
	t := appRead(c)
	if t == nil {
		return
	}
	wire.Items(c.Result("contents"), func(i int, item []byte) bool {
		if text(wire.Get(item, "uri")) != c.Call.Target {
			return true
		}
		kind := text(wire.Get(item, "mimeType"))
		media, params, err := mime.ParseMediaType(kind)
		f := diagnose.Finding{Frames: []uint64{c.N, c.Call.N, t.N}, Items: []string{t.Name}}
		f.Place = "/result/contents/" + number(i) + "/mimeType"
		switch {
		case err == nil && media == mediaHTML && params["profile"] == "mcp-app":
			return false
		case kind == "":
			f.Message = "has no mimeType"
		default:
			f.Message = "has the mimeType " + quote(kind)
		}
		f.Message = "The app " + quote(c.Call.Target) + " (" + frame(c.N) + ") of the tool " + quote(t.Name) + " (" + frame(t.N) + ") " +
			f.Message + ", and hosts show only " + appType + " as an app."
		c.ReportAs(c.Call.Target, f)
		return false
	})
}

type cardsSeen struct{ all []card }

// card is what a server says of itself before anybody connects.
type card struct {
	n             uint64
	path          string
	name, version string
	versions      []string // protocol versions
	endpoints     []string // paths
	able, tools   []string // of cards that have them; SEP-2127 has not
}

const (
	maxCards    = 64
	maxCardSize = 1 << 20
	maxInCard   = 512
)

// learn reads the card in hand, in the form of SEP-2127 or those before it.
func (s *cardsSeen) learn(c *diagnose.Case) {
	if len(s.all) >= maxCards || len(c.Data) > maxCardSize || len(c.Data) == 0 || c.Data[0] != '{' {
		return
	}
	get := func(path ...string) string { return text(wire.Get(c.Data, path...)) }
	k := card{n: uint64(c.Exchange.ResponseN), path: c.Exchange.Path, version: get("version")}
	if info := wire.Get(c.Data, "serverInfo"); info != nil { // there the other version is that of the card
		k.name, k.version = text(wire.Get(info, "name")), text(wire.Get(info, "version"))
	}
	each := func(list []byte, add func(item []byte)) {
		wire.Items(list, func(i int, item []byte) bool { add(item); return i < maxInCard })
	}
	each(wire.Get(c.Data, "remotes"), func(remote []byte) {
		k.endpoints = append(k.endpoints, cardPath(text(wire.Get(remote, "url"))))
		each(wire.Get(remote, "supportedProtocolVersions"), func(v []byte) { k.versions = append(k.versions, text(v)) })
	})
	for _, at := range [][]string{{"transport", "endpoint"}, {"transport", "url"}, {"endpoint"}, {"url"}} {
		if one := get(at...); one != "" {
			k.endpoints = append(k.endpoints, cardPath(one))
		}
	}
	wire.Each(wire.Get(c.Data, "capabilities"), func(name, value []byte) bool {
		if string(value) != "false" && string(value) != "null" {
			k.able = append(k.able, string(name))
		}
		return len(k.able) < maxInCard
	})
	each(wire.Get(c.Data, "tools"), func(tool []byte) {
		if name := text(wire.Get(tool, "name")); name != "" {
			k.tools = append(k.tools, name)
		}
	})
	s.all = append(s.all, k)
}

func cardPath(address string) string { return strings.TrimSuffix(pathOf(address), "/") }

// of says whether a card is that of the session in hand: it names its endpoint, lies
// below it, or names none.
func (k *card) of(endpoint string) bool {
	endpoint = strings.TrimSuffix(endpoint, "/")
	below := strings.HasPrefix(k.path, endpoint+"/server-card")
	return len(k.endpoints) == 0 || slices.Contains(k.endpoints, endpoint) || below && endpoint != ""
}

// compareCard reports what the session in hand shows to be otherwise.
func compareCard(c *diagnose.Case, k *card) {
	s := c.Session
	if s == nil || overStdio(c) || s.Endpoint == "" || !k.of(s.Endpoint) {
		return
	}
	var says []string
	differs := func(what, card, server string) {
		if card != "" && server != "" && card != server {
			says = append(says, what+" "+quote(card)+", and the server says "+quote(server))
		}
	}
	differs("the name", k.name, s.Server.Name)
	differs("version", k.version, s.Server.Version)
	if v := string(s.ProtocolVersion); v != "" && len(k.versions) > 0 && !slices.Contains(k.versions, v) {
		says = append(says, "the protocol versions "+quote(strings.Join(k.versions, ", "))+", and the server speaks "+quote(v))
	}
	caps := c.Facts.Offered.Caps
	for _, name := range k.able {
		if slices.Contains([]string{"tools", "resources", "prompts", "logging", "completions"}, name) && len(caps) > 0 && !diagnose.Capability(caps, name) {
			says = append(says, "the capability "+quote(name)+", and the server does not declare it")
		}
	}
	if l := listOf(c, kindOf(mcp.ToolsList)); l != nil && !l.full && l.next == "" {
		if i := slices.IndexFunc(k.tools, func(name string) bool { return l.names[name] == 0 }); i >= 0 {
			says = append(says, "the tool "+quote(k.tools[i])+", and the server does not list it")
		}
	}
	if len(says) == 0 {
		return
	}
	c.ReportAs(k.path, diagnose.Finding{
		Message: "The server card " + quote(k.path) + " (" + frame(k.n) + ") has " + words.Clip(strings.Join(says, "; "), 600) + ".",
		Frames:  []uint64{k.n},
	})
}
