package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var structuredContentMissing = &diagnose.Rule{
	ID:       "structured-content-missing",
	Title:    "A tool with an outputSchema returns no structuredContent",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	From:     mcp.V20250618,
	Help: diagnose.Help{
		Means: "The tool declares an outputSchema, so clients expect structuredContent. Some refuse a result without it, others deliver an empty result.",
		Wire:  "A tools/call result without isError and without structuredContent, of a tool that has an outputSchema.",
		Cause: "The schema was added to the definition, and the code still returns only text; one of several return paths omits it; or a gateway drops unknown members.",
		Fix:   "In the server: return structuredContent on every path that is not an error, or remove outputSchema from the definition. In a gateway: pass structuredContent through.",
		Spec:  "2025-06-18 server/tools: Output Schema",
		Example: `  {"name":"count","outputSchema":{"type":"object",…}}
< {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"3"}]}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !isToolResponse(c) {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || len(t.Output) == 0 || t.Output[0] != '{' || c.Result("structuredContent") != nil {
			return
		}
		c.ReportAs(t.Name, diagnose.Finding{
			Message: "The tool " + quote(t.Name) + " declares an outputSchema (" + frame(t.N) + "), and its result (" + frame(c.N) + ") has no structuredContent.",
			Frames:  []uint64{c.N, c.Call.N, t.N},
		})
	},
}
