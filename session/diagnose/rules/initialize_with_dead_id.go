package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializeWithDeadID = &diagnose.Rule{
	ID:       "initialize-with-dead-id",
	Title:    "A new handshake has the id of a session that is over",
	Brief:    "handshake with an old id",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Covers:   []string{"initialize-twice", "session-not-renewed*"},
	On:       diagnose.Requests,
	Methods:  []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Session.State != session.StateLost && c.Session.State != session.StateClosed ||
			c.Session.Transport != session.TransportHTTP {
			return
		}
		if id := x.Header(mcp.HeaderSessionID); id != "" && id == c.Session.ID {
			c.Say("", c.Client()+" began again with initialize ("+frame(c.N)+") and sent the id "+quote(id)+" of the session that had ended.",
				c.N, uint64(x.RequestN))
		}
	},
}
