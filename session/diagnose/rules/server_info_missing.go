package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverInfoMissing = rule("server-info-missing", diagnose.ModernResults, func(c *diagnose.Case) {
	if !modernResponse(c) {
		return
	}
	if wire.Get(c.Result("_meta"), mcp.MetaServerInfo) != nil {
		return
	}
	c.Say("", "The result of "+quote(c.Call.Method)+" ("+frame(c.N)+") does not name its server in _meta.")
})
