package rules

import (
	"slices"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// cardsConformance compare the server card (SEP-2127) with what the server does.
var cardsConformance = []formal{
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
