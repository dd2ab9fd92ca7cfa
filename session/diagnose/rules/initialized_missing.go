package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializedMissing = rule("initialized-missing", diagnose.Finish, func(c *diagnose.Case) {
	f := c.Facts
	if !f.Negotiated() || f.Initialized != 0 || c.Blind() || !assigned(c) {
		return
	}
	for _, i := range c.Session.Rows() {
		r := c.Tracker().Row(int(i))
		if r.Kind != session.RowCall || r.Dir != wire.ToServer || r.Modern || uint64(r.Request) < f.Init.ResponseN {
			continue
		}
		method := c.Tracker().Name(r.Name)
		if method == mcp.Ping || method == mcp.Initialize || method == mcp.Discover {
			continue
		}
		c.Say("", c.Server()+" responded to initialize ("+frame(f.Init.ResponseN)+"). The client went on with "+quote(method)+" ("+frame(r.Request)+") and never sent notifications/initialized.",
			uint64(r.Request), f.Init.ResponseN)
		return
	}
})
