package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var streamIdleClosed = rule("stream-idle-closed", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || !x.IsStream {
		return
	}
	last := made(diagnose.Memory[map[uint32]int64](c)) // latest byte of open streams
	if c.Kind == session.EventSSE {
		if len(last) < 65536 {
			last[x.X] = c.T
		}
		return
	}
	quiet := c.T - max(last[x.X], x.ResponseT)
	delete(last, x.X)
	if c.By == wire.ByClient || quiet < 20e9 || c.Facts == nil {
		return
	}
	s := diagnose.Shared[idleEnds](c)
	s.add(quiet, uint64(x.RequestN))
	if n := s.alike(quiet); n >= 3 {
		c.Say("", number(n)+" streams were ended about "+number((quiet+5e8)/1e9)+" seconds after their last byte, and not by the client.",
			s.frames(quiet)...)
	}
})

// idleEnds are how long streams had been quiet when they ended.
type idleEnds struct {
	quiet []int64
	n     []uint64
}

func (s *idleEnds) add(quiet int64, n uint64) {
	if len(s.quiet) >= 64 {
		s.quiet, s.n = append(s.quiet[:0], s.quiet[1:]...), append(s.n[:0], s.n[1:]...)
	}
	s.quiet, s.n = append(s.quiet, quiet), append(s.n, n)
}

// close5 says whether two times differ by at most 5 percent.
func close5(a, b int64) bool { return max(a, b)-min(a, b) <= max(a, b)/20 }

func (s *idleEnds) alike(quiet int64) (n int) {
	for _, q := range s.quiet {
		if close5(q, quiet) {
			n++
		}
	}
	return n
}

func (s *idleEnds) frames(quiet int64) []uint64 {
	var all []uint64
	for i, q := range s.quiet {
		if close5(q, quiet) {
			all = append(all, s.n[i])
		}
	}
	return all
}
