package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var modernServerRequest = &diagnose.Rule{
	ID:       "modern-server-request",
	Title:    "A server sends its client a request, which 2026-07-28 does not have",
	Brief:    "request where none may be",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.Questions,
	Check: func(c *diagnose.Case) {
		if c.Exchange == nil || c.Dir != wire.ToClient {
			return
		}
		row := c.Tracker().Row(int(c.Row))
		if row.Parent < 0 || !c.Tracker().Row(int(row.Parent)).Modern {
			return
		}
		call := c.Tracker().Row(int(row.Parent))
		c.Say(c.Call.Method, c.Server()+" sent the request "+quote(c.Call.Method)+" ("+frame(c.N)+") on the stream of "+quote(c.Tracker().Name(call.Name))+" ("+
			frame(call.Request)+"), a request of 2026-07-28.",
			c.N, uint64(call.Request))
	},
}
