package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var stdinNoise = rule("stdin-noise", diagnose.Noise, func(c *diagnose.Case) {
	if c.Dir == wire.ToServer {
		pollutes(c, "stdin")
	}
})
