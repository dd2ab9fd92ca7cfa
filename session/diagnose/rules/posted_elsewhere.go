package rules

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var postedElsewhere = rule("posted-elsewhere", diagnose.SSE|diagnose.OddResponses|diagnose.StreamEnds,
	func(c *diagnose.Case) {
		m := diagnose.Memory[endpoints](c)
		x := c.Exchange
		switch {
		case c.Kind == sseKind:
			if c.SSE.Name == "endpoint" && x.Verb == "GET" && len(m.open) < maxPaths {
				target, query, _ := strings.Cut(string(c.SSE.Data), "?")
				m.open = append(m.open, announced{x.X, c.N, pathOf(target), session.QueryID(query)})
			}
		case len(m.open) == 0:
		case c.Kind == endKind:
			m.open = slices.DeleteFunc(m.open, func(a announced) bool { return a.x == x.X })
		case x.Verb == "POST" && x.Messages > 0 && x.Status >= 400 && x.Header(mcp.HeaderSessionID) == "":
			if a, ok := m.missed(x.Path, session.QueryID(x.Query)); ok {
				c.Say("", c.Client()+" posted "+quote(rowName(c))+" to "+quote(x.Path)+" ("+frame(x.RequestN)+"), which is not the announced endpoint ("+
					frame(a.n)+"), and got "+httpStatus(int(x.Status))+".",
					uint64(x.RequestN), uint64(x.ResponseN), a.n)
			}
		}
	})

// endpoints are those that were announced on streams that are open.
type endpoints struct{ open []announced }

type announced struct {
	x        uint32
	n        uint64
	path, id string
}

// missed finds the endpoint that a target resembles and is not.
func (m *endpoints) missed(path, id string) (announced, bool) {
	near := announced{}
	for _, a := range m.open {
		switch {
		case a.path == path && a.id == id:
			return announced{}, false
		case strings.HasSuffix(path, a.path) && len(a.path) > 1: // it was appended to something
			near = a
		case a.id == "":
		case a.path == path && id == "", a.path != path && id == a.id:
			near = a
		}
	}
	return near, near.n != 0
}
