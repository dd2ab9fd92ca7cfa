package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var eventIDRepeated = rule("event-id-repeated", diagnose.SSE, func(c *diagnose.Case) {
	if c.SSE.ID == "" || len(c.SSE.ID) > 256 || c.Session == nil ||
		c.Session.Transport != session.TransportHTTP || isSSE(c) {
		return
	}
	x := c.Exchange
	if x.Verb == "GET" && x.Header(mcp.HeaderLastEventID) != "" {
		return // what is sent again keeps its id
	}
	s := diagnose.State[eventIDs](c)
	was, known := s.at(c.SSE.ID, c.N)
	if !known {
		return
	}
	c.Say("", "The event id "+quote(c.SSE.ID)+" ("+frame(c.N)+") was used before in this session ("+frame(was)+").",
		c.N, was)
})

// eventIDs are the event ids of a session and the frames they were in: of the
// latest maxEventIDs, or twice as many.
type eventIDs struct{ now, before map[string]uint64 }

const maxEventIDs = 2048

// at returns where an id was seen, and remembers it when it is new.
func (s *eventIDs) at(id string, n uint64) (was uint64, known bool) {
	if was, known = s.now[id]; !known {
		was, known = s.before[id]
	}
	if known {
		return was, true
	}
	if len(s.now) >= maxEventIDs || s.now == nil {
		s.before, s.now = s.now, map[string]uint64{}
	}
	s.now[id] = n
	return 0, false
}
