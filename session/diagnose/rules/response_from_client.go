package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseFromClient = rule("response-from-client", diagnose.Strays, func(c *diagnose.Case) {
	if c.Dir == wire.ToServer && overStdio(c) && stray(c) && c.Facts.LastOK != 0 {
		c.Say("", c.Client()+" sent a response ("+frame(c.N)+") under the id "+raw(c.Message.ID)+" in a conversation of protocol version "+string(c.ProtocolVersion())+".")
	}
})
