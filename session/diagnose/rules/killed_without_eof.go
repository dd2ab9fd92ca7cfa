package rules

import (
	"midwire/session/diagnose"
)

var killedWithoutEOF = &diagnose.Rule{
	ID:       "killed-without-eof",
	Title:    "The server was killed while its stdin was still open",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means:   "To end a stdio server, a client closes its stdin, waits, and only then sends signals. A server that is killed without warning cannot save its data or clean up, and its child processes may survive.",
		Wire:    "The process ends by SIGTERM or SIGKILL, and stdin was not closed before.",
		Cause:   "The client kills its servers when it quits or reloads; or something else did: a person, a container that stops, or the kernel when memory ran out (SIGKILL).",
		Fix:     "In the client: close the server's stdin first, wait some seconds, then send SIGTERM, and finally SIGKILL.",
		Spec:    "2025-11-25 basic/lifecycle: Shutdown",
		Example: `exit {"code":143,"signal":"SIGTERM"}`,
	},
	On: diagnose.Processes,
	Check: func(c *diagnose.Case) {
		p := diagnose.State[pipes](c)
		end, over := p.follow(c)
		if !over || p.stdin != 0 || end.signal != "SIGTERM" && end.signal != "SIGKILL" && !end.lost || c.Session.Probe ||
			c.Session.Messages == 0 {
			return
		}
		f := diagnose.Finding{Confidence: diagnose.Likely}
		f.Message = "The server was ended by " + end.signal + " (" + frame(c.N) + "), and its stdin was still open."
		if end.signal == "SIGKILL" && !end.lost {
			f.Confidence = diagnose.Possible
		}
		c.ReportAs("", f)
	},
}
