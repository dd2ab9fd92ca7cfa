package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var ignoresStdinEOF = &diagnose.Rule{
	ID:       "ignores-stdin-eof",
	Title:    "The server does not exit after its stdin was closed",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The end of stdin tells a stdio server that its client is gone. A server that does not exit must be killed. If the client crashed or does not kill it, the process remains as an orphan; some users find hundreds of them.",
		Wire:  "stdin is closed, and the process exits seconds later, or only after a signal.",
		Cause: "A timer, a watcher, an open connection or a thread keeps the program alive; or a wrapper such as npx or a shell does not pass the end of stdin on.",
		Fix:   `In the server: when stdin ends, stop all work and exit. In Node: process.stdin.on("end", () => process.exit()); in Python: use daemon threads, or exit after the read loop.`,
		Spec:  "2026-07-28 basic/transports/stdio: Shutdown; 2025-11-25 basic/lifecycle: Shutdown",
		Example: `close > {"by":"client"}
exit {"code":143,"signal":"SIGTERM"}   2.0 s later`,
	},
	On:     diagnose.Processes,
	Covers: []string{"server-exited"},
	Check: func(c *diagnose.Case) {
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
			Message: "The client closed stdin (" + frame(p.stdin) + "). The server " + how + " " + seconds(took) + " later (" + frame(c.N) + ").",
			Frames:  []uint64{c.N, p.stdin},
		}
		if !c.IsModern() || took < 5e9 {
			f.Severity = diagnose.Note // only 2026-07-28 asks for an exit, and within no given time
		}
		c.ReportAs("", f)
	},
}
