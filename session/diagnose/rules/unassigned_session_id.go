package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var unassignedSessionID = &diagnose.Rule{
	ID:       "unassigned-session-id",
	Title:    "A session id is sent although the server assigned none",
	Severity: diagnose.Note,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "The client sends a session id although the server assigned none, or uses protocol version 2026-07-28, which has no sessions. Servers ignore the id, so state that depends on it does not exist.",
		Wire:  "Mcp-Session-Id on a request of 2026-07-28, or after a response to initialize that had no such header.",
		Cause: "A client or gateway invents ids of its own, or keeps one from an earlier session.",
		Fix:   "In the client: send Mcp-Session-Id only when the server's response to initialize had one. For 2026-07-28 send state in tool arguments.",
		Spec:  "2025-11-25 basic/transports: Session Management; 2026-07-28 basic/transports/streamable-http: Backward Compatibility",
		Example: `> POST /mcp, MCP-Protocol-Version: 2026-07-28, Mcp-Session-Id: 1868a90c
> {"jsonrpc":"2.0","id":1,"method":"tools/list",…}`,
	},
	Header: mcp.HeaderSessionID,
	On:     diagnose.HTTPRequests | diagnose.Results | diagnose.Conns,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		switch {
		case c.Kind == connKind:
			if c.Frame.Kind == wire.KindClose {
				delete(diagnose.Memory[withoutIDs](c).conns, c.Frame.Conn)
			}
		case x == nil || c.Session == nil:
		case c.Kind == messageKind:
			if c.Call != nil && c.Call.Method == mcp.Initialize &&
				c.Session.Transport == session.TransportHTTP && c.Session.ID == "" && x.Header(mcp.HeaderSessionID) == "" {
				diagnose.Memory[withoutIDs](c).add(x, c.N)
			}
		case x.Messages > 0:
			noSuchID(c)
		}
	},
}

// withoutIDs are the connections on which a session without an id began: the
// frame of the response to initialize, and the endpoint.
type withoutIDs struct{ conns map[uint32]sessionless }

type sessionless struct {
	n    uint64
	path string
}

func (m *withoutIDs) add(x *session.Exchange, n uint64) {
	if m.conns == nil {
		m.conns = map[uint32]sessionless{}
	}
	m.conns[x.Conn] = sessionless{n, x.Path}
}

func noSuchID(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case c.Session.Modern:
		if id := x.Header(mcp.HeaderSessionID); id != "" {
			c.ReportAs("", diagnose.Finding{
				Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") is of protocol version " + string(c.Session.ProtocolVersion) + ", which has no sessions, and has the session id " +
					quote(id) + ".",
				Frames: []uint64{uint64(x.RequestN)},
			})
		}
	case c.Session.IDSource == session.IDForeign:
		if was, ok := diagnose.Memory[withoutIDs](c).conns[x.Conn]; ok && was.path == x.Path {
			c.ReportAs("", diagnose.Finding{
				Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") has the session id " + quote(c.Session.ID) + "; the server's response to initialize on the same connection (" + frame(was.n) + ") assigned none.",
				Frames:  []uint64{uint64(x.RequestN), was.n},
			})
		}
	}
}
