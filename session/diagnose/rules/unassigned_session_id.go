package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var unassignedSessionID = rule("unassigned-session-id", diagnose.HTTPRequests|diagnose.Results|diagnose.Conns,
	func(c *diagnose.Case) {
		x := c.Exchange
		switch {
		case c.Kind == connKind:
			if c.Frame.Kind == wire.KindClose {
				delete(withoutIDs(c), c.Frame.Conn)
			}
		case x == nil || c.Session == nil:
		case c.Kind == messageKind:
			if c.Call != nil && c.Call.Method == mcp.Initialize &&
				c.Session.Transport == session.TransportHTTP && c.Session.ID == "" && x.Header(mcp.HeaderSessionID) == "" {
				withoutIDs(c)[x.Conn] = sessionless{c.N, x.Path}
			}
		case x.Messages > 0:
			noSuchID(c)
		}
	})

// withoutIDs are the connections on which a session without an id began: the
// frame of the response to initialize, and the endpoint.
func withoutIDs(c *diagnose.Case) map[uint32]sessionless {
	return made(diagnose.Memory[map[uint32]sessionless](c))
}

type sessionless struct {
	n    uint64
	path string
}

func noSuchID(c *diagnose.Case) {
	x := c.Exchange
	switch {
	case c.Session.Modern:
		if id := x.Header(mcp.HeaderSessionID); id != "" {
			c.Say("", quote(rowName(c))+" ("+frame(x.RequestN)+") is of protocol version "+string(c.Session.ProtocolVersion)+", which has no sessions, and has the session id "+quote(id)+".",
				uint64(x.RequestN))
		}
	case c.Session.IDSource == session.IDForeign:
		if was, ok := withoutIDs(c)[x.Conn]; ok && was.path == x.Path {
			c.Say("", quote(rowName(c))+" ("+frame(x.RequestN)+") has the session id "+quote(c.Session.ID)+"; the server's response to initialize on the same connection ("+frame(was.n)+") assigned none.",
				uint64(x.RequestN), was.n)
		}
	}
}
