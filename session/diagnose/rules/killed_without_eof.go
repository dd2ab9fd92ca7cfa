package rules

import (
	"midwire/session/diagnose"
)

var killedWithoutEOF = &diagnose.Rule{
	ID:       "killed-without-eof",
	Title:    "The server was killed while its stdin was still open",
	Severity: diagnose.Warning,
	Fault:    diagnose.Client,
	Lint:     "S-05",
	Help: diagnose.Help{
		Means:   "A client ends a stdio server by closing its stdin, waits, and only then sends signals. A server that is killed out of the blue cannot save or clean up, and its own children may live on.",
		Wire:    "The process ends by SIGTERM or SIGKILL, and stdin was not closed before.",
		Cause:   "The client kills its servers when it quits or reloads; or somebody else did: a person, a container that stops, the kernel when memory ran out (SIGKILL).",
		Fix:     "In the client: close the server's stdin first, give it some seconds, then send SIGTERM, and SIGKILL at last.",
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
		f.Message = "The server was ended by " + end.signal + " (" + frame(c.N) + "), and its stdin had not been closed."
		if end.signal == "SIGKILL" && !end.lost {
			f.Confidence = diagnose.Possible
		}
		c.ReportAs("", f)
	},
}
