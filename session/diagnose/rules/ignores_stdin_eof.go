package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var ignoresStdinEOF = rule("ignores-stdin-eof", diagnose.Processes, func(c *diagnose.Case) {
	p := c.Ledger.Pipes()
	end, over := exitOf(c)
	due, ok := c.Ledger.Other(ledger.Exit, -1)
	if !over || !ok || due.EndN != c.N || p.StdinBy != wire.ByClient || p.Stdout != 0 && p.StdoutT < p.StdinT {
		return
	}
	took := due.Wait(c.T)
	if took < 1.5e9 || took < 5e9 && !end.asked() {
		return
	}
	how := "ended"
	if end.signal != "" {
		how = "was ended by " + end.signal
	}
	f := diagnose.Finding{
		Message: c.Client() + " closed stdin (" + frame(due.N) + "). The server " + how + " " + seconds(took) + " later (" + frame(c.N) + ").",
		Frames:  []uint64{c.N, due.N},
	}
	if !c.IsModern() || took < 5e9 {
		f.Severity = diagnose.Note // only 2026-07-28 asks for an exit, and within no given time
	}
	c.ReportAs("", f)
})
