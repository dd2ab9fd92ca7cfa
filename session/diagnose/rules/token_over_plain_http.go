package rules

import "midwire/session/diagnose"

var tokenOverPlainHTTP = &diagnose.Rule{
	ID:       "token-over-plain-http",
	Title:    "A credential goes over the network unencrypted",
	Brief:    "credential unencrypted",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	On:       diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Proto != "" || x.Upstream == "" || isLoopback(x.Upstream) || x.Header("Authorization") == "" {
			return
		}
		c.Say(x.Upstream, target(x)+" ("+frame(x.RequestN)+") sends a credential to "+x.Upstream+" without TLS.",
			uint64(x.RequestN))
	},
}
