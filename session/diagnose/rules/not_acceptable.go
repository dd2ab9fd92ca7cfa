package rules

import "midwire/session/diagnose"

var notAcceptable = &diagnose.Rule{
	ID:         "not-acceptable",
	Title:      "406 although the client accepts both kinds of response",
	Brief:      "406 for no reason",
	Severity:   diagnose.Error,
	Side:       diagnose.Gateway,
	Confidence: diagnose.Likely,
	Header:     "Accept",
	On:         diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) || notAccepted(x, headerValues(x.RequestHead, "Accept")) != "" {
			return
		}
		c.Say(x.Verb, target(x)+" ("+frame(x.RequestN)+") has a correct Accept header, and was refused with 406: "+said(c.Refusal)+".",
			headFrames(x)...)
	},
}
