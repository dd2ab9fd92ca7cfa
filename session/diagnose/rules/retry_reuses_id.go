package rules

import (
	"bytes"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var retryReusesID = rule("retry-reuses-id", diagnose.Requests|diagnose.Results|diagnose.Settled,
	func(c *diagnose.Case) {
		if c.Call == nil || !c.Call.Modern || c.Call.Dir != wire.ToServer {
			return
		}
		switch {
		case c.Kind == session.EventSettled:
			rememberLost(c)
		case c.Message.Kind == wire.MsgResult:
			if mcp.TakesInput(c.Call.Method) && resultType(c) == "input_required" {
				diagnose.State[sentBefore](c).note(c)
			}
		default:
			checkID(c)
		}
	})

// sentBefore is what may be sent again.
type sentBefore struct {
	rounds
	lost []lostCall
}

// lostCall is a request whose stream broke before its response.
type lostCall struct {
	n, at  uint64
	conn   uint32
	id     string
	method string
	params []byte
}

func rememberLost(c *diagnose.Case) {
	if !c.Tracker().Row(int(c.Row)).Ending.Lost() || len(c.Call.Params) > maxRoundArgs ||
		c.Call.X == 0 {
		return
	}
	s := diagnose.State[sentBefore](c)
	if len(s.lost) >= maxRounds {
		s.lost = append(s.lost[:0], s.lost[1:]...)
	}
	s.lost = append(s.lost, lostCall{c.Call.N, c.N, c.Call.Conn, c.Call.ID, c.Call.Method, c.Call.Params})
}

func checkID(c *diagnose.Case) {
	if c.Call.Method == mcp.Discover {
		return
	}
	retry := mcp.TakesInput(c.Call.Method) && (c.Param("inputResponses") != nil || c.Param("requestState") != nil)
	if !retry && c.Exchange == nil {
		return
	}
	s := diagnose.State[sentBefore](c)
	if retry {
		checkRetry(c, s)
		return
	}
	i := slices.IndexFunc(s.lost, func(l lostCall) bool {
		return l.conn == c.Call.Conn && l.id == c.Call.ID && l.method == c.Call.Method &&
			bytes.Equal(l.params, c.Call.Params)
	})
	if i >= 0 {
		c.Say("lost", "The request "+quote(c.Call.Method)+" ("+frame(c.N)+") was sent again under the id "+c.Call.ID+" after its stream broke ("+frame(s.lost[i].n)+").",
			c.N, s.lost[i].n)
	}
}

// checkRetry compares the id of a retry with that of the round it continues. A
// round without a state is distinguished from that of another client by its
// connection.
func checkRetry(c *diagnose.Case, s *sentBefore) {
	state := c.Param("requestState")
	for i := len(s.open) - 1; i >= 0; i-- {
		n := s.open[i]
		if !n.continues(c) || n.hasState != (state != nil) || n.state != text(state) ||
			!n.hasState && n.conn != c.Call.Conn {
			continue
		}
		s.open = slices.Delete(s.open, i, i+1)
		if n.id == c.Call.ID {
			c.Say("retry", "The retry of "+quote(c.Call.Method)+" ("+frame(c.N)+") has the id "+c.Call.ID+" of the request it continues ("+frame(n.askedN)+").",
				c.N, n.n, n.askedN)
		}
		return
	}
}
