package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var handshakeSkipped = rule("handshake-skipped", diagnose.Refusals, func(c *diagnose.Case) {
	if c.Call == nil || c.Call.Modern || exempt[c.Call.Method] || initOf(c) != nil || !blamesHandshake(c.Refusal) {
		return
	}
	how := ""
	if c.Session.IDSource == session.IDForeign {
		how = " It had a session id of its own, " + quote(c.Session.ID) + ", that no server issued here."
	}
	c.Say("", c.Client()+" sent "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") before any initialize, and the server refused: "+said(c.Refusal)+"."+how,
		c.Call.N, c.N)
})
