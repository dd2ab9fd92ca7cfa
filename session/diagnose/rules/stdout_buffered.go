package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var stdoutBuffered = rule("stdout-buffered", diagnose.Results|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[heldBack](c)
	if c.N == 0 {
		s.report(c)
		return
	}
	if c.Call == nil || c.Dir != wire.ToClient || !overStdio(c) {
		return
	}
	p := c.Ledger.Pipes()
	waited := p.StdinT - c.Call.T
	if p.Stdin == 0 || waited < 2e9 || c.T-p.StdinT > 500e6 {
		s.inTime = true
		return
	}
	if s.count++; s.count == 1 {
		s.waited, s.about, s.stdin = waited, about(c.Call), p.Stdin
	}
	if len(s.frames) < diagnose.MaxFrames {
		s.frames = append(s.frames, c.N, c.Call.N)
	}
})

// heldBack are the responses that came when the client had closed stdin, and not before.
type heldBack struct {
	inTime bool // a response came before
	count  int
	waited int64  // for the first, until stdin was closed
	about  string // its request
	stdin  uint64
	frames []uint64
}

func (s *heldBack) report(c *diagnose.Case) {
	if s.count == 0 || s.inTime || c.Blind() {
		return
	}
	c.ReportAs("", diagnose.Finding{
		Frames: append(s.frames[:min(len(s.frames), diagnose.MaxFrames-1)], s.stdin),
		Message: c.Client() + " waited " + seconds(s.waited) + " for the response to " + s.about + " and closed stdin (" + frame(s.stdin) +
			"). Only then " + words.CountOf(s.count, "response", "responses") + " came, all at once.",
	})
}
