package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverCancelledCall = &diagnose.Rule{
	ID: "server-cancelled-call", On: diagnose.Notifications, Methods: []string{mcp.NotifyCancelled},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Parent == nil || !c.Parent.Modern || c.Parent.Dir != wire.ToServer ||
			c.Parent.Method == mcp.Listen {
			return
		}
		if id := string(c.Param("requestId")); id == "" || !sameToken(id, c.Parent.ID) {
			return
		}
		c.Say("", c.Server()+" cancelled the request "+quote(c.Parent.Method)+" ("+frame(c.Parent.N)+") of its client ("+frame(c.N)+").",
			c.N, c.Parent.N)
	},
}
