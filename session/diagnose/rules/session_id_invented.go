package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDInvented = &diagnose.Rule{
	ID: "session-id-invented", On: diagnose.Refusals, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Call == nil || x.SessionID == "" || c.Session == nil || c.Session.IDSource != session.IDClient ||
			x.Status != 400 && x.Status != 404 || !aboutSession(c) {
			return
		}
		c.Say("", c.Client()+" sent initialize ("+frame(c.Call.N)+") with the session id "+quote(x.SessionID)+", which no server issued, and was refused: "+
			said(c.Refusal)+".", c.Call.N, c.N, uint64(x.RequestN))
	},
}
