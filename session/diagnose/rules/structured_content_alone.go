package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var structuredContentAlone = &diagnose.Rule{
	ID:       "structured-content-alone",
	Title:    "A tool returns only structuredContent, which many clients do not show",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	From:     mcp.V20250618,
	Help: diagnose.Help{
		Means: "Many clients give the model only content. For them a tool that returns only structuredContent has an empty result.",
		Wire:  "A tools/call result with structuredContent and an empty content.",
		Cause: "The author considered content a duplicate, because the schema allows it to be empty.",
		Fix:   "In the server: put the same data as JSON text into a content block of the type text, next to structuredContent.",
		Spec:  "2025-06-18 server/tools: Structured Content",
		Example: `< {"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":{"total":3}}}
  better: "content":[{"type":"text","text":"{\"total\":3}"}]`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !isToolResponse(c) || c.Result("structuredContent") == nil {
			return
		}
		some := false
		if !wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false }) || some {
			return
		}
		c.ReportAs(c.Call.Target, diagnose.Finding{
			Message: "The result of " + quote(c.Call.Target) + " (" + frame(c.N) + ") has its data in structuredContent and nothing in content.",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
