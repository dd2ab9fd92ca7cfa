package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDChanged = &diagnose.Rule{
	ID:       "session-id-changed",
	Title:    "The server sends another session id than the current one",
	Brief:    "session id changed",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Header:   mcp.HeaderSessionID,
	On:       diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || c.Session.Transport != session.TransportHTTP ||
			x.Status > 299 || rowName(c) == mcp.Initialize {
			return
		}
		id := x.ResponseHeader(mcp.HeaderSessionID)
		if id == "" || id == c.Session.ID || x.Header(mcp.HeaderSessionID) != c.Session.ID {
			return
		}
		c.Say("", "In the session "+quote(c.Session.ID)+" the response to "+target(x)+" ("+frame(x.ResponseN)+") has the session id "+quote(id)+".",
			headFrames(x)...)
	},
}
