package rules

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var serverExited = rule("server-exited", diagnose.Processes|diagnose.Stderr|diagnose.Noise, func(c *diagnose.Case) {
	p := hear(c)
	hearPrinted(c)
	if c.Kind == session.EventStderr || c.Kind == noiseKind {
		return
	}
	end, over := exitOf(c)
	in := c.Ledger.Pipes()
	closedFirst := in.Stdin != 0 && in.StdinBy == wire.ByClient && (in.Stdout == 0 || in.Stdin < in.Stdout)
	killed := end.killed(c) && c.Session.Pending > 0
	greeted := c.Facts.Init != nil && c.Facts.Init.OK && c.Facts.Calls == 0 // and asked for nothing yet
	if !over || closedFirst || end.asked() && !killed || c.Session.Probe ||
		end.code == 0 && c.Session.Pending == 0 && !greeted {
		return
	}
	seen := c.Exited()
	f := diagnose.Finding{Message: seen.Line + ".", Brief: seen.Short, Frames: append([]uint64{c.N}, waiting(c)...)}
	said, _, frames := spoke(c)
	f.Frames = append(f.Frames, frames...)
	f.Often = cmp.Or(p.explain(said, end).cause, usualEnd(c, p, said, end, killed))
	c.ReportAs("", f)
})

// usualEnd is what is often the reason that a process ends so.
func usualEnd(c *diagnose.Case, p *lastWords, said string, end exit, killed bool) string {
	usual := func(name string) string { return advised()[name].cause }
	switch q := openQuestion(c, -1); {
	case killed:
		return usual("killed from outside")
	case q != nil && c.T-q.T >= 1e9 && end.signal == "":
		return usual("question of the server unanswered")
	case end.code == 0 && end.signal == "" && p.launched() && said != "":
		return usual("its starter ended")
	case end.code == 0 && end.signal == "":
		return usual("ended without serving")
	case p.blamed(said):
		return usual("names its own argument")
	case said != "" && p.launched():
		return usual("its starter failed, or it did")
	case said == "":
		return usual("ended in silence")
	}
	return ""
}

// openQuestion is the oldest request of the server that is open, in the course of a row or -1; nil for none.
func openQuestion(c *diagnose.Case, row int32) *ledger.Debt {
	for _, d := range c.Ledger.Open(c.Session.Index) {
		if d.Kind == ledger.Response && d.Owes == wire.ToServer && (row < 0 || d.For < 0 || d.For == row) {
			return &d
		}
	}
	return nil
}

// waiting are the frames of the calls that have no response, the latest first.
func waiting(c *diagnose.Case) []uint64 {
	var frames []uint64
	for _, d := range slices.Backward(c.Ledger.Open(c.Session.Index)) {
		if d.Kind == ledger.Response && len(frames) < 8 {
			frames = append(frames, d.N)
		}
	}
	return frames
}
