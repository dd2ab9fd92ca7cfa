package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var missingIDWrongStatus = rule("missing-id-wrong-status", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status == 400 || c.Session == nil || c.Session.Transport != session.TransportHTTP ||
		c.Session.ID == "" ||
		c.Session.IDSource != session.IDServer && c.Session.IDSource != session.IDReplaced ||
		c.Method() == mcp.Initialize {
		return
	}
	if x.Header(mcp.HeaderSessionID) != "" || !isMCP(c) || !c.Refusal.Says("session") {
		return
	}
	c.Say(httpStatus(int(x.Status)), target(x)+" ("+frame(x.RequestN)+") lacks the session id and got "+httpStatus(int(x.Status))+" instead of 400: "+
		said(c.Refusal)+".",
		headFrames(x)...)
})
