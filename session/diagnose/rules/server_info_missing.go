package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverInfoMissing = &diagnose.Rule{
	ID:       "server-info-missing",
	Title:    "Results of 2026-07-28 do not name the server",
	Brief:    "server does not say its name",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	On:       diagnose.ModernResults,
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) {
			return
		}
		if wire.Get(c.Result("_meta"), mcp.MetaServerInfo) != nil {
			return
		}
		c.Say("", "The result of "+quote(c.Call.Method)+" ("+frame(c.N)+") does not name its server in _meta.")
	},
}
