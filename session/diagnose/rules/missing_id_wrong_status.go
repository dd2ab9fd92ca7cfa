package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var missingIDWrongStatus = &diagnose.Rule{
	ID:       "missing-id-wrong-status",
	Title:    "A missing session id is not answered with 400",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Era:      diagnose.Handshake,
	Lint:     "L-49",
	Help: diagnose.Help{
		Means: "A server that needs a session id should answer requests without one with 400. By another status clients are led astray: 404 means that a session is over, 401 that the login is, 500 that the server is broken.",
		Wire:  "A request without Mcp-Session-Id, after the server had assigned one, is answered with an error that speaks of the session and is not HTTP 400.",
		Cause: "The server looks up an undefined id and reports what that leads to.",
		Fix:   "In the server: check for the header first and answer 400.",
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
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") lacks the session id and was answered with " + httpStatus(int(x.Status)) + " instead of 400: " +
				quote(c.Refusal.Text) + ".",
			Frames: headFrames(x),
		})
	},
}
