package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var lastEventIDMissing = rule("last-event-id-missing", diagnose.SSE|diagnose.StreamEnds|diagnose.OtherResponses,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb != "GET" || !x.IsStream || c.Session == nil || c.Session.Transport != session.TransportHTTP || isSSE(c) {
			return
		}
		s := diagnose.State[numbered](c)
		switch c.Kind {
		case sseKind:
			if c.SSE.HasID && c.SSE.ID != "" {
				s.id, s.n, s.x = c.SSE.ID, c.N, x.X
			}
		case endKind:
			s.cut = x.X == s.x && c.By != wire.ByClient && !c.Clean
		default:
			if s.cut && x.Header(mcp.HeaderLastEventID) == "" {
				c.Say("", c.Client()+" opened the GET stream again ("+frame(x.RequestN)+") without Last-Event-ID. The events of the stream before had ids, the last one "+quote(s.id)+" ("+frame(s.n)+"): what the server sent since then is lost.",
					uint64(x.RequestN), s.n)
			}
			s.cut = false
		}
	})

// numbered is the latest event with an id on the GET stream of a session.
type numbered struct {
	id  string
	n   uint64
	x   uint32
	cut bool // that stream has ended since
}
