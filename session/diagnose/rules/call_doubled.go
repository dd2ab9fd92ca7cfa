package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/words"
)

var callDoubled = rule("call-doubled", diagnose.Requests|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[doubles](c)
	if c.N == 0 {
		s.report(c)
	} else if c.Call != nil && c.Call.Method == mcp.ToolsCall {
		s.take(c)
	}
})

// doubles are calls of a session that are like the one before them.
type doubles struct {
	last    *diagnose.Call // nil for none, and after two that are a pair
	calls   int
	count   int
	frames  []uint64
	about   string
	nearest int64 // the shortest time between two
}

// together is how far two calls are apart that were meant as one, in nanoseconds.
const together = 100e6

func (s *doubles) take(c *diagnose.Case) {
	last := s.last
	s.last = c.Call
	s.calls++
	if last == nil || c.T-last.T >= together || c.Pending(last.Row) != last || last.Same() != c.Call.Same() {
		return
	}
	if s.count++; s.count == 1 || c.T-last.T < s.nearest {
		s.nearest, s.about = c.T-last.T, about(c.Call)
	}
	if len(s.frames) < 8 {
		s.frames = append(s.frames, c.N, last.N)
	}
	s.last = nil // three are not two pairs
}

func (s *doubles) report(c *diagnose.Case) {
	// Once may be what somebody wanted; most calls of a session are not.
	if s.count < 2 || s.count*3 < s.calls {
		return
	}
	c.Say("", c.Client()+" sent the same call twice, with the same arguments and another id, "+words.CountOf(s.count, "time", "times")+
		" in this session, such as "+s.about+", "+number(s.nearest/1e6)+" ms after the first. What the tool does, it did twice.", s.frames...)
}
