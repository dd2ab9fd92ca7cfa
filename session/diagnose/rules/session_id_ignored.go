package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var sessionIDIgnored = &diagnose.Rule{
	ID:       "session-id-ignored",
	Title:    "The client uses an id of its own although the server assigned another",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	From:     mcp.V20250326,
	Help: diagnose.Help{
		Means: "The server names the session. A client or gateway may send an id of its own with initialize. After the response only the server's id is valid; requests with another id belong to no session.",
		Wire:  "initialize has an Mcp-Session-Id, or none; its response has another; later requests have the client's own.",
		Cause: "A gateway keeps an internal id and sends it upstream, or a client sets the header once for all its requests.",
		Fix:   "In the client or gateway: replace the temporary id with the Mcp-Session-Id of the response to initialize in every following request.",
		Spec:  "2025-11-25 basic/transports: Session Management, 1 and 2",
		Example: `> Mcp-Session-Id: mine-1   initialize
< Mcp-Session-Id: 7b0c…    200
> Mcp-Session-Id: mine-1   tools/list
< 404 Session not found`,
	},
	On: diagnose.Requests | diagnose.Notifications,
	Check: func(c *diagnose.Case) {
		in, x := initOf(c), c.Exchange
		if x == nil || in == nil || in.ResponseN == 0 || c.Modern || c.Dir != wire.ToServer || exempt[c.Method()] ||
			c.Session.Transport != session.TransportHTTP ||
			c.Session.IDSource != session.IDReplaced && c.Session.IDSource != session.IDServer {
			return
		}
		id := x.SessionID
		if id == "" || id == c.Session.ID || uint64(x.RequestN) < in.ResponseN {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The server assigned session id " + quote(c.Session.ID) + " (" + frame(in.ResponseN) + "), and the client sent " + c.Method() + " (" +
				frame(uint64(x.RequestN)) + ") under " + quote(id) + ".",
			Frames: []uint64{uint64(x.RequestN), in.ResponseN, in.N},
		})
	},
}
