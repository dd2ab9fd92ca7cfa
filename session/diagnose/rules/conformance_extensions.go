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
var extensionsConformance = []*diagnose.Rule{
	{ID: "app-resource-scheme", On: diagnose.Results, Methods: toolLists, Check: func(c *diagnose.Case) {
		if !ofClient(c) {
			return
		}
		wire.Items(c.Result("tools"), func(i int, tool []byte) bool {
			uri, name := session.ReadApp(tool).Resource, text(wire.Get(tool, "name"))
			if uri != "" && !strings.HasPrefix(uri, "ui://") {
				c.ReportAs(name, diagnose.Finding{
					With: fill{"tool": name, "uri": uri}, Frames: []uint64{c.N, c.Call.N}, Items: []string{name},
					Place: "/result/tools/" + number(i) + "/_meta/ui/resourceUri",
				})
			}
			return true
		})
	}},
	{ID: "app-resource-missing", On: diagnose.Errors, Methods: []string{mcp.ResourcesRead}, Check: func(c *diagnose.Case) {
		t, code := appRead(c), errorCode(c)
		unknown := code == mcp.CodeInvalidParams || code == mcp.CodeResourceNotFound
		if t == nil || !unknown && !kindOf(mcp.ResourcesRead).errs(c) && !knowsNoMethod(c) {
			return
		}
		c.ReportAs(c.Call.Target, diagnose.Finding{
			With:   fill{"tool": t.Name, "list": t.N, "error": errorText(c)},
			Frames: []uint64{c.N, c.Call.N, t.N}, Items: []string{t.Name},
		})
	}},
	{ID: "app-resource-type", On: diagnose.Results, Methods: []string{mcp.ResourcesRead}, Check: func(c *diagnose.Case) {
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
			if err != nil || media != mediaHTML || params["profile"] != "mcp-app" {
				says := "other"
				if kind == "" {
					says = "none"
				}
				c.ReportAs(c.Call.Target, diagnose.Finding{
					Says: says, With: fill{"tool": t.Name, "list": t.N, "type": kind}, Items: []string{t.Name},
					Frames: []uint64{c.N, c.Call.N, t.N}, Place: "/result/contents/" + number(i) + "/mimeType",
				})
			}
			return false
		})
	}},
	{ID: "app-tool-called", On: diagnose.Requests, Methods: toolCalls, Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Facts == nil || c.Dir != wire.ToServer {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || !t.App.AppOnly || !c.Call.Modern && !c.Facts.Negotiated() {
			return
		}
		caps, n, frames := c.Call.Caps, c.N, []uint64{c.N, t.N}
		if !c.Call.Modern {
			caps, n = c.Facts.Init.ClientCaps, c.Facts.Init.N
			frames = append(frames, n)
		}
		if caps != nil && !diagnose.Capability(caps, "extensions", mcp.ExtensionApps) {
			c.Found("", t.Name, fill{"list": t.N, "declared": n}, frames...)
		}
	}},
}

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
