package rules

import "midwire/session/diagnose"

var wrongHTTPMethod = rule("wrong-http-method", diagnose.OtherRequests, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Messages == 0 || x.Verb == "POST" {
		return
	}
	c.Say(x.Verb, quote(rowName(c))+" ("+frame(x.RequestN)+") was sent with "+x.Verb+".", uint64(x.RequestN))
})
