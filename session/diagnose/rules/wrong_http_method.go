package rules

import "midwire/session/diagnose"

var wrongHTTPMethod = &diagnose.Rule{
	ID:       "wrong-http-method",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages == 0 || x.Verb == "POST" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") was sent with " + x.Verb + ".",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
