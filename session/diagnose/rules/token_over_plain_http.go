package rules

import "midwire/session/diagnose"

var tokenOverPlainHTTP = rule("token-over-plain-http", diagnose.HTTPRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Proto != "" || x.Upstream == "" || isLoopback(x.Upstream) || x.Header("Authorization") == "" {
		return
	}
	c.Say(x.Upstream, target(x)+" ("+frame(x.RequestN)+") sends a credential to "+x.Upstream+" without TLS.",
		uint64(x.RequestN))
})
