package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var toolHeaderIgnored = &diagnose.Rule{
	ID:       "tool-header-ignored",
	Title:    "A client calls a tool that it must leave out",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Clients over HTTP must not offer a tool with an invalid x-mcp-header. A client that calls it ignores the annotation, and will also omit headers that other tools require.",
		Wire:  "tools/call over HTTP of a tool whose latest inputSchema has an invalid x-mcp-header.",
		Cause: "The client does not support x-mcp-header.",
		Fix:   "In the client: validate the x-mcp-header of each listed tool, and leave out tools with an invalid one, with a warning. In the server: fix the definition.",
		Spec:  "2026-07-28 server/tools: x-mcp-header",
		Example: `< {"tools":[{"name":"query","inputSchema":{…"x-mcp-header":"two words"…}}]}
> POST /mcp  Mcp-Method: tools/call  Mcp-Name: query`,
	},
	On:      diagnose.Requests,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || c.Facts == nil {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || !diagnose.Memory[headed](c).is(t) {
			return
		}
		if bad := badToolHeader(t.Input); bad != "" {
			c.ReportAs(t.Name, diagnose.Finding{
				Message: "The client called " + quote(t.Name) + " (" + frame(c.N) + "), which it must leave out: " + bad + " (" + frame(t.N) + ").",
				Frames:  []uint64{c.N, t.N},
			})
		}
	},
}
