package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializeInBatch = &diagnose.Rule{
	ID: "initialize-in-batch", On: diagnose.Requests, Methods: []string{mcp.Initialize},
	Check: func(c *diagnose.Case) {
		if c.Batched {
			c.Say("", c.Client()+" sent initialize ("+frame(c.N)+") within a batch.")
		}
	},
}
