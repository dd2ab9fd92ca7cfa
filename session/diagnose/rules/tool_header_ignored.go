package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var toolHeaderIgnored = &diagnose.Rule{
	ID: "tool-header-ignored", On: diagnose.Requests, Methods: []string{mcp.ToolsCall},
	Check: func(c *diagnose.Case) {
		if !modernPost(c) || c.Facts == nil {
			return
		}
		t := c.Facts.Tools[c.Call.Target]
		if t == nil || !diagnose.Memory[headed](c).is(t) {
			return
		}
		if bad := badToolHeader(t.Input); bad != "" {
			c.Say(t.Name, c.Client()+" called "+quote(t.Name)+" ("+frame(c.N)+"), which it must leave out: "+bad+" ("+frame(t.N)+").",
				c.N, t.N)
		}
	},
}
