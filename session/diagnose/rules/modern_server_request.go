package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var modernServerRequest = rule("modern-server-request", diagnose.Questions, func(c *diagnose.Case) {
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
})
