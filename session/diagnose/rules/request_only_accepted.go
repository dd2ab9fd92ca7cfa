package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var requestOnlyAccepted = rule("request-only-accepted", diagnose.OddResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Status != 202 || x.Calls == 0 || x.Verb != "POST" || !isSure(c) || c.Session.State == session.StateClosed {
		return
	}
	c.Say("", quote(rowName(c))+" ("+frame(x.RequestN)+") is a request, and got only 202.", headFrames(x)...)
})
