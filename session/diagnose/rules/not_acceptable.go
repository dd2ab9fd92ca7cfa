package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var notAcceptable = rule("not-acceptable", diagnose.Refusals, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) || notAccepted(x, wire.HeadValues(x.RequestHead, "Accept")) != "" {
		return
	}
	c.Say(x.Verb, target(x)+" ("+frame(x.RequestN)+") has a correct Accept header, and was refused with 406: "+said(c.Refusal)+".",
		headFrames(x)...)
})
