package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var requestFromServer = rule("request-from-server", diagnose.Questions, func(c *diagnose.Case) {
	if c.Dir != wire.ToClient || !overStdio(c) || c.Facts.LastOK == 0 {
		return
	}
	c.Say(c.Call.Method, c.Server()+" sent the request "+quote(c.Call.Method)+" ("+frame(c.N)+") in a conversation of protocol version "+string(c.ProtocolVersion())+".")
})
