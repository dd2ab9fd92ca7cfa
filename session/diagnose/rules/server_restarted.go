package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/session/words"
)

// serverRestarted is about a server that failed while midwire kept its client connected:
// what was answered in its place hides that from the client.
var serverRestarted = rule("server-restarted", diagnose.Taps, func(c *diagnose.Case) {
	if c.Frame.Kind != wire.KindEdit || c.Session == nil {
		return
	}
	was, now := editOf(c)
	switch text(wire.Get(c.Data, "what")) {
	case wire.EditReloadEnded:
		c.ReportAs("", diagnose.Finding{Message: c.Server() + " ended while it was needed (" + frame(c.N) + "): " + now +
			". midwire kept the client connected, and answered its open calls with errors."})
	case wire.EditReloadFailed:
		c.ReportAs("failed", diagnose.Finding{Message: c.Server() + " could not be restarted (" + frame(c.N) + ", " + was + "): " + now + "."})
	}
})

func editOf(c *diagnose.Case) (was, now string) {
	return words.Line(text(wire.Get(c.Data, "was")), 200), words.Line(text(wire.Get(c.Data, "now")), 200)
}
