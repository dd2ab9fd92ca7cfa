package rules

import (
	"mime"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// extensionsConformance are those of all extensions of the table (SEP-2133), of
// io.modelcontextprotocol/ui (SEP-1865). What an app does in its iframe is in no recording.
var extensionsConformance = []formal{
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
