package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var missingIDWrongStatus = &diagnose.Rule{
	ID:       "missing-id-wrong-status",
	Title:    "A missing session id was not refused with 400",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A server that requires a session id should refuse requests without one with 400. Other statuses mislead clients: 404 means that a session is over, 401 that the login is invalid, 500 that the server is broken.",
		Wire:  "A request without Mcp-Session-Id, after the server assigned one, gets an error about the session that is not HTTP 400.",
		Cause: "The server looks up an undefined id and passes on the resulting error.",
		Fix:   "In the server: check for the header first and respond with 400.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 500 Session undefined not found`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
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
		c.ReportAs(httpStatus(int(x.Status)), diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") lacks the session id and got " + httpStatus(int(x.Status)) + " instead of 400: " +
				quote(c.Refusal.Text) + ".",
			Frames: headFrames(x),
		})
	},
}
