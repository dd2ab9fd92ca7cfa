package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var reconnectTooEarly = rule("reconnect-too-early", diagnose.SSE|diagnose.StreamEnds|diagnose.OtherRequests,
	func(c *diagnose.Case) {
		x := c.Exchange
		switch {
		case c.Session == nil || isSSE(c):
		case c.Kind == sseKind:
			if c.SSE.Retry != "" || c.SSE.HasID {
				diagnose.State[waits](c).event(x.X, c.SSE)
			}
		case c.Kind == endKind:
			if x.IsStream {
				diagnose.State[waits](c).ended(x.X, c.T, c.N, c.By == wire.ByServer)
			}
		case x.Verb == "GET":
			if id := x.Header(mcp.HeaderLastEventID); id != "" {
				diagnose.State[waits](c).back(c, id)
			}
		}
	})

// waits are the streams of a session that the client may come back for.
type waits struct{ list []wait }

type wait struct {
	x     uint32
	id    string
	retry int64 // nanoseconds
	end   int64 // when the stream ended, 0 while it is open
	n     uint64
}

const maxWaits = 32

func (s *waits) event(x uint32, e wire.Event) {
	i := len(s.list) - 1
	for i >= 0 && s.list[i].x != x {
		i--
	}
	if i < 0 {
		if len(s.list) >= maxWaits {
			s.list = append(s.list[:0], s.list[1:]...)
		}
		s.list = append(s.list, wait{x: x})
		i = len(s.list) - 1
	}
	if e.HasID {
		s.list[i].id = e.ID
	}
	if ms, err := strconv.ParseInt(e.Retry, 10, 32); err == nil {
		s.list[i].retry = ms * 1e6
	}
}

func (s *waits) ended(x uint32, t int64, n uint64, byServer bool) {
	for i := range s.list {
		if s.list[i].x != x {
			continue
		}
		if !byServer || s.list[i].retry == 0 || s.list[i].id == "" {
			s.list = append(s.list[:i], s.list[i+1:]...)
			return
		}
		s.list[i].end, s.list[i].n = t, n
	}
}

// back judges when a client comes back. It learns of the end later than the
// tap, so that its own clock can only have run for less.
func (s *waits) back(c *diagnose.Case, id string) {
	for i, w := range s.list {
		if w.id != id || w.end == 0 {
			continue
		}
		s.list = append(s.list[:i], s.list[i+1:]...)
		waited := c.Exchange.RequestT - w.end
		if waited >= w.retry-max(w.retry/50, 20e6) {
			return
		}
		c.Say("", c.Client()+" reconnected to the stream ("+frame(c.Exchange.RequestN)+") after "+number(waited/1e6)+" ms; the server asked it to wait "+
			number(w.retry/1e6)+" ms ("+frame(w.n)+").",
			uint64(c.Exchange.RequestN), w.n)
		return
	}
}
