package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var newerVersionAccepted = &diagnose.Rule{
	ID: "newer-version-accepted", On: diagnose.Notifications, Methods: []string{mcp.NotifyInitialized},
	Check: func(c *diagnose.Case) {
		f := c.Facts
		if c.Dir != wire.ToServer || !f.Negotiated() || !assigned(c) || !published(f.Init.Requested) ||
			!published(f.Init.Chosen) || f.Init.Chosen <= f.Init.Requested {
			return
		}
		c.Say("", c.Client()+" requested protocol version "+string(f.Init.Requested)+" ("+frame(f.Init.N)+"), the server chose the newer "+string(f.Init.Chosen)+" ("+
			frame(f.Init.ResponseN)+"), and the client continued.",
			c.N, f.Init.ResponseN, f.Init.N)
	},
}
