package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionHeaderMissing = &diagnose.Rule{
	ID:       "session-header-missing",
	Title:    "A request without a session id was refused, and no session was open",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Header:   mcp.HeaderSessionID,
	On:       diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Call == nil || c.Call.Modern || exempt[c.Call.Method] || initOf(c) != nil ||
			x.SessionID != "" || !blamesMissingID(c.Refusal) {
			return
		}
		c.Say("", c.Client()+" sent "+c.Call.Method+" ("+frame(c.Call.N)+") without Mcp-Session-Id and without an initialize before it. The server refused: "+quote(c.Refusal.Text)+".",
			c.Call.N, c.N)
	},
}
