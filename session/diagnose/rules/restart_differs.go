package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

// restartDiffers is about a server that is another one behind its restart.
var restartDiffers = rule("restart-differs", diagnose.Taps, func(c *diagnose.Case) {
	if c.Frame.Kind != wire.KindEdit || c.Session == nil || text(wire.Get(c.Data, "what")) != wire.EditReloadResponse {
		return
	}
	was, now := editOf(c)
	c.ReportAs(was+now, diagnose.Finding{Message: "Behind the restart (" + frame(c.N) + ") " + c.Server() +
		" answers initialize differently: " + now + ". Before: " + was + ". The client has the response of before."})
})
