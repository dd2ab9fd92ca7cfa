package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var requestFromServer = &diagnose.Rule{
	ID:       "request-from-server",
	Title:    "The server sends a request, which 2026-07-28 does not have",
	Brief:    "server sends a request",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	On:       diagnose.Questions,
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || !overStdio(c) || c.Facts.LastOK == 0 {
			return
		}
		c.Say(c.Call.Method, c.Server()+" sent the request "+quote(c.Call.Method)+" ("+frame(c.N)+") in a conversation of protocol version "+string(c.ProtocolVersion())+".")
	},
}
