package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var structuredContentMissing = &diagnose.Rule{
	ID: "structured-content-missing", On: diagnose.Results, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !isToolResponse(c) {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || len(t.Output) == 0 || t.Output[0] != '{' || c.Result("structuredContent") != nil {
			return
		}
		c.Say(t.Name, "The tool "+quote(t.Name)+" declares an outputSchema ("+frame(t.N)+"), and its result ("+frame(c.N)+") has no structuredContent.",
			c.N, c.Call.N, t.N)
	},
}
