package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var undefinedErrorCode = rule("undefined-error-code", diagnose.Errors, func(c *diagnose.Case) {
	code := errorCode(c)
	reserved := code >= mcp.CodesProtocolFrom && code < mcp.CodeUnsupportedVersion
	if c.Call == nil || c.Dir != wire.ToClient ||
		!reserved && code != mcp.CodeResourceNotFound && code != mcp.CodeURLElicitation || !speaksModern(c) {
		return
	}
	c.Say(number(code), c.Server()+" refused "+about(c.Call)+" with the code "+number(code)+", which protocol version 2026-07-28 does not define: "+quote(errorText(c))+".",
		c.N, c.Call.N)
})

// speaksModern says that the server in hand has responded in the way of
// 2026-07-28 before. What an older one says to a probe follows older rules.
func speaksModern(c *diagnose.Case) bool {
	return c.Call.Modern && c.Facts != nil && c.Session.Modern && c.Facts.LastOK != 0
}
