package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var clientCapabilityNeeded = &diagnose.Rule{
	ID: "client-capability-needed", On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient || errorCode(c) != mcp.CodeURLElicitation || !c.Facts.Negotiated() ||
			diagnose.Capability(c.Facts.Init.ClientCaps, "elicitation", "url") {
			return
		}
		c.Found("", c.Call.Target, fill{"said": errorText(c), "init": c.Facts.Init.N}, c.N, c.Call.N, c.Facts.Init.N)
	},
}
