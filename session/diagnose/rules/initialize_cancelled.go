package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var initializeCancelled = &diagnose.Rule{
	ID: "initialize-cancelled", On: diagnose.Notifications, Methods: []string{mcp.NotifyCancelled},
	Check: func(c *diagnose.Case) {
		init := c.Facts.Init
		if c.Dir != wire.ToServer || init == nil {
			return
		}
		if row := c.Tracker().Row(int(c.Row)); row.Parent < 0 || row.Parent != init.Row {
			return
		}
		c.Say("", c.Client()+" cancelled its initialize ("+frame(init.N)+") after "+seconds(c.T-init.T)+".", c.N, init.N)
	},
}
