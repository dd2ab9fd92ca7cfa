package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var stdinNoise = &diagnose.Rule{
	ID:       "stdin-noise",
	Title:    "The client writes a line to stdin that is not a message",
	Brief:    "no message on stdin",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.Noise,
	Check: func(c *diagnose.Case) {
		if c.Dir == wire.ToServer {
			pollutes(c, "stdin")
		}
	},
}
