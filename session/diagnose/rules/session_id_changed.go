package rules

import (
	"bytes"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionIDChanged = &diagnose.Rule{
	ID:       "session-id-changed",
	Title:    "The server sends another session id than the current one",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "A session gets its id once, in the response to initialize. A later response has another id. Some clients adopt it, others ignore it, the Go SDK gives up.",
		Wire:  "A request with one Mcp-Session-Id gets a response that has another.",
		Cause: "The server creates a new session for every request and sends its id, or a gateway passes on the id of the server behind it instead of its own.",
		Fix:   "In the server or gateway: keep the id of the session, and send the id that the client knows, or none.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `> POST /mcp, Mcp-Session-Id: 1868a90c {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 200 Mcp-Session-Id: 77f2e0b1`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || c.Session.Transport != session.TransportHTTP ||
			x.Status > 299 || !bytes.Contains(x.ResponseHead, []byte("ession-")) || rowName(c) == mcp.Initialize {
			return
		}
		id := x.ResponseHeader(mcp.HeaderSessionID)
		if id == "" || id == c.Session.ID || x.Header(mcp.HeaderSessionID) != c.Session.ID {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "In the session " + quote(c.Session.ID) + " the response to " + target(x) + " (" + frame(uint64(x.ResponseN)) + ") has the session id " + quote(id) + ".",
			Frames:  headFrames(x),
		})
	},
}
