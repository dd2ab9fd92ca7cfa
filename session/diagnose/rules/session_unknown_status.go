package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionUnknownStatus = &diagnose.Rule{
	ID:       "session-unknown-status",
	Title:    "An unknown session id was not refused with 404",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Header:   mcp.HeaderSessionID,
	On:       diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x, r := c.Exchange, c.Refusal
		if x == nil || c.Session == nil || c.Session.Transport != session.TransportHTTP || c.IsModern() ||
			c.Session.Modern ||
			r.Status == 404 || r.Status/100 == 2 || r.Status == 405 || r.Status == 409 {
			return
		}
		id := x.SessionID
		if id == "" || c.Method() == mcp.Initialize || !blamesSession(r) && !blamesHandshake(c) {
			return
		}
		in := initOf(c)
		how := ""
		switch {
		case in == nil && blamesHandshake(c):
			return // the handshake is what is missing
		case c.Session.State == session.StateClosed:
			how = "that was ended"
		case in == nil && c.Session.IDSource == session.IDForeign:
			how = "that was not issued while midwire watched"
		case in != nil && in.OK && c.Facts.Results > 0:
			how = "that worked before"
		default:
			return
		}
		c.Say(number(r.Status), "A request with session id "+quote(id)+", "+how+", got "+number(r.Status)+" instead of 404: "+quote(r.Text)+".",
			c.N, uint64(x.RequestN))
	},
}
