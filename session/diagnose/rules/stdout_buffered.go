package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

var stdoutBuffered = rule("stdout-buffered", diagnose.Lines|diagnose.Finish, func(c *diagnose.Case) {
	s, p := diagnose.State[heldBack](c), c.Ledger.Pipes()
	switch {
	case c.N == 0 && s.count > 0 && !s.inTime && !c.Blind():
		c.Say("", s.begin+words.CountOf(s.count, "response", "responses")+" came, all at once.", s.frames...)
	case c.N == 0 || c.Call == nil || c.Message.Kind != wire.MsgResult || c.Dir != wire.ToClient || !overStdio(c):
	case p.Stdin == 0 || p.StdinT-c.Call.T < 2e9 || c.T-p.StdinT > 500e6:
		s.inTime = true
	default:
		if s.count++; s.count == 1 {
			s.frames = []uint64{c.N, c.Call.N, p.Stdin}
			s.begin = c.Client() + " waited " + seconds(p.StdinT-c.Call.T) + " for the response to " + about(c.Call) +
				" and closed stdin (" + frame(p.Stdin) + "). Only then "
		}
	}
})

// heldBack are the responses that came when the client had closed stdin, and not before.
type heldBack struct {
	inTime bool // a response came before
	count  int
	begin  string
	frames []uint64
}
