package rules

import "midwire/session/diagnose"

var tokenOverPlainHTTP = &diagnose.Rule{
	ID:       "token-over-plain-http",
	Severity: diagnose.Warning,
	Side:     diagnose.Client,
	On:       diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Proto != "" || x.Upstream == "" || isLoopback(x.Upstream) || x.Header("Authorization") == "" {
			return
		}
		c.ReportAs(x.Upstream, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") sends a credential to " + x.Upstream + " without TLS.",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
