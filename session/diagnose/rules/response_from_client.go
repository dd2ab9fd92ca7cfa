package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseFromClient = &diagnose.Rule{
	ID:       "response-from-client",
	Title:    "The client sends a response, which 2026-07-28 does not have",
	Brief:    "client sends a response",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Modern,
	On:       diagnose.Strays,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer && overStdio(c) && stray(c) && c.Facts.LastOK != 0 {
			c.Say("", c.Client()+" sent a response ("+frame(c.N)+") under the id "+raw(c.Message.ID)+" in a conversation of protocol version "+string(c.ProtocolVersion())+".")
		}
	},
}
