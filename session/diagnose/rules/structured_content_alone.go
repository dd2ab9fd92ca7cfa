package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var structuredContentAlone = &diagnose.Rule{
	ID: "structured-content-alone", On: diagnose.Results, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !isToolResponse(c) || c.Result("structuredContent") == nil {
			return
		}
		some := false
		if !wire.Items(c.Result("content"), func(int, []byte) bool { some = true; return false }) || some {
			return
		}
		c.Say(c.Call.Target, "The result of "+quote(c.Call.Target)+" ("+frame(c.N)+") has its data in structuredContent and nothing in content.",
			c.N, c.Call.N)
	},
}
