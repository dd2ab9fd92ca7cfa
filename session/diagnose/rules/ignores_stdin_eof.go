package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var ignoresStdinEOF = rule("ignores-stdin-eof", diagnose.Processes, func(c *diagnose.Case) {
	p := diagnose.State[pipes](c)
	end, over := p.follow(c)
	if !over || p.stdin == 0 || p.stdinBy != wire.ByClient || p.stdout != 0 && p.stdoutT < p.stdinT {
		return
	}
	took := c.T - p.stdinT
	if took < 1.5e9 || took < 5e9 && !end.asked() {
		return
	}
	how := "ended"
	if end.signal != "" {
		how = "was ended by " + end.signal
	}
	f := diagnose.Finding{
		Message: c.Client() + " closed stdin (" + frame(p.stdin) + "). The server " + how + " " + seconds(took) + " later (" + frame(c.N) + ").",
		Frames:  []uint64{c.N, p.stdin},
	}
	if !c.IsModern() || took < 5e9 {
		f.Severity = diagnose.Note // only 2026-07-28 asks for an exit, and within no given time
	}
	c.ReportAs("", f)
})
