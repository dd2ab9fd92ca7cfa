package rules

import (
	"slices"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/wire"
)

var serverExited = rule("server-exited", diagnose.Processes|diagnose.Stderr|diagnose.Noise, func(c *diagnose.Case) {
	hear(c)
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
	_, _, frames := spoke(c)
	f.Frames = append(f.Frames, frames...)
	c.ReportAs("", f)
})

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
