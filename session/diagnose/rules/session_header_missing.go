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
		if x != nil && c.Method() == mcp.Initialize && c.Call != nil && x.SessionID == "" && x.Status >= 400 &&
			blamesMissingID(c.Refusal) && !asksForSession(c.Refusal) {
			c.ReportAs("initialize", diagnose.Finding{
				Side:    diagnose.Server,
				Message: c.Server() + " refused initialize (" + frame(c.Call.N) + ") because it has no session id: " + said(c.Refusal) + ". The response to initialize is what would issue one.",
				Cause:   "The server looks for a session before it looks at the method, or does not see that the body is an initialize: it was not parsed yet, or has a form that the server's check does not know.",
				Fix:     "In the server: create a session when a POST without session id holds an initialize, and demand the id only of other requests. A gateway must let initialize through without one.",
				Frames:  []uint64{c.Call.N, c.N},
			})
			return
		}
		if x == nil || c.Call == nil || c.Call.Modern || exempt[c.Call.Method] || initOf(c) != nil ||
			x.SessionID != "" || !blamesMissingID(c.Refusal) {
			return
		}
		c.Say("", c.Client()+" sent "+c.Call.Method+" ("+frame(c.Call.N)+") without Mcp-Session-Id and without an initialize before it. The server refused: "+said(c.Refusal)+".",
			c.Call.N, c.N)
	},
}
