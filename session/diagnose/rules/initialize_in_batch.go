package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var initializeInBatch = &diagnose.Rule{
	ID:       "initialize-in-batch",
	Title:    "initialize is part of a batch",
	Brief:    "initialize in a batch",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Era:      diagnose.Handshake,
	On:       diagnose.Requests,
	Methods:  []string{mcp.Initialize},
	Covers:   []string{"batch-not-allowed"},
	Check: func(c *diagnose.Case) {
		if c.Batched {
			c.Say("", c.Client()+" sent initialize ("+frame(c.N)+") within a batch.")
		}
	},
}
