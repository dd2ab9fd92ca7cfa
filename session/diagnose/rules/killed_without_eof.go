package rules

import "midwire/session/diagnose"

var killedWithoutEOF = rule("killed-without-eof", diagnose.Processes, func(c *diagnose.Case) {
	p := c.Ledger.Pipes()
	end, over := exitOf(c)
	if !over || p.Stdin != 0 || end.signal != "SIGTERM" && end.signal != "SIGKILL" && !end.lost || c.Session.Probe ||
		c.Session.Messages == 0 || c.Tracker().ByGate([]uint64{c.N}) { // we did it
		return
	}
	f := diagnose.Finding{Confidence: diagnose.Likely}
	f.Message = c.Server() + " was ended by " + end.signal + " (" + frame(c.N) + "), and its stdin was still open."
	if p.Signal != 0 { // it came from the client's side, by way of midwire
		f.Confidence, f.Frames = diagnose.Certain, []uint64{c.N, p.Signal}
		f.Message = c.Client() + " sent " + end.signal + " to " + c.Server() + " (" + frame(p.Signal) +
			"), and its stdin was still open."
	}
	if end.signal == "SIGKILL" && !end.lost {
		f.Confidence = diagnose.Possible
	}
	if g, ok := gaveUp(c); ok && g.waited >= 5e9 {
		f.Severity = diagnose.Note // a server that hangs is ended
	}
	c.ReportAs("", f)
})
