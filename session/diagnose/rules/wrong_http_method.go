package rules

import "midwire/session/diagnose"

var wrongHTTPMethod = &diagnose.Rule{
	ID:       "wrong-http-method",
	Title:    "A message is sent with another HTTP method than POST",
	Brief:    "wrong HTTP method",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	On:       diagnose.OtherRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages == 0 || x.Verb == "POST" {
			return
		}
		c.Say(x.Verb, quote(rowName(c))+" ("+frame(x.RequestN)+") was sent with "+x.Verb+".", uint64(x.RequestN))
	},
}
