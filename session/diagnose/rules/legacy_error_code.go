package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var legacyErrorCode = rule("legacy-error-code", diagnose.Errors, func(c *diagnose.Case) {
	code, ok := wire.Int(wire.Get(c.Message.Error, "code"))
	old := code >= mcp.CodesLegacyFrom && code <= mcp.CodesLegacyTo && code != mcp.CodeResourceNotFound
	if c.Call == nil || c.Dir != wire.ToClient || !ok || !old && code != 0 || !speaksModern(c) {
		return
	}
	c.Say(number(code), c.Server()+" refused "+about(c.Call)+" with the code "+number(code)+": "+quote(errorText(c))+".",
		c.N, c.Call.N)
})
