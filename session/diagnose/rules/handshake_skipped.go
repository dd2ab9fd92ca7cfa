package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var handshakeSkipped = &diagnose.Rule{
	ID:       "handshake-skipped",
	Title:    "A request came before initialize, and was refused",
	Brief:    "no initialize",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Right:    &diagnose.Right{Step: "initialize", Does: "begin with initialize"},
	On:       diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Call.Modern || exempt[c.Call.Method] {
			return
		}
		if initOf(c) != nil || !blamesHandshake(c) {
			return
		}
		how := ""
		if c.Session.IDSource == session.IDForeign {
			how = " It had a session id of its own, " + quote(c.Session.ID) + ", that no server issued here."
		}
		c.Say("", c.Client()+" sent "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") before any initialize, and the server refused: "+said(c.Refusal)+"."+how,
			c.Call.N, c.N)
	},
}
