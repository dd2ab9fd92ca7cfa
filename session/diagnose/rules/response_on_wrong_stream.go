package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var responseOnWrongStream = rule("response-on-wrong-stream", diagnose.Results|diagnose.Errors,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.RequestN == 0 || c.Call == nil || c.Call.X == x.X || c.Dir != wire.ToClient ||
			c.Call.Dir != wire.ToServer || isSSE(c) || c.Session.Transport != session.TransportHTTP {
			return
		}
		if x.Verb == "GET" && x.Header(mcp.HeaderLastEventID) != "" {
			return // resumed
		}
		c.Say(x.Verb, "The response to "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") came on "+target(x)+" ("+frame(x.RequestN)+"), not in the response to its own POST.",
			c.N, c.Call.N, uint64(x.RequestN))
	})
