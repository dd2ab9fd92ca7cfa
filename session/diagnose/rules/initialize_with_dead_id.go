package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializeWithDeadID = &diagnose.Rule{
	ID:       "initialize-with-dead-id",
	Title:    "A new handshake has the id of a session that is over",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The server said that the session is over. The client starts again, as it must, but still sends the old id. The server looks for the old session and refuses.",
		Wire:  "404 for a session id, then initialize with that id in its Mcp-Session-Id header.",
		Cause: "The client stores the id in the headers of its connection and does not clear it when it reconnects.",
		Fix:   "In the client: send initialize without Mcp-Session-Id, and take the new id from its response.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `< 404 Session not found
> POST /mcp, Mcp-Session-Id: 1868a90c {"jsonrpc":"2.0","id":0,"method":"initialize",…}`,
	},
	Covers:  []string{"initialize-twice", "session-not-renewed*"},
	On:      diagnose.Requests,
	Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || c.Session.State != session.StateLost && c.Session.State != session.StateClosed ||
			c.Session.Transport != session.TransportHTTP {
			return
		}
		if id := x.Header(mcp.HeaderSessionID); id != "" && id == c.Session.ID {
			c.ReportAs("", diagnose.Finding{
				Message: "The client began again with initialize (" + frame(c.N) + ") and sent the id " + quote(id) + " of the session that had ended.",
				Frames:  []uint64{c.N, uint64(x.RequestN)},
			})
		}
	},
}
