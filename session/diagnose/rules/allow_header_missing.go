package rules

import "midwire/session/diagnose"

var allowHeaderMissing = &diagnose.Rule{
	ID:       "allow-header-missing",
	Title:    "A 405 response does not list the allowed methods",
	Brief:    "405 without Allow",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	On:       diagnose.OddResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Status != 405 || !isMCP(c) || headerValues(x.ResponseHead, "Allow") != "" {
			return
		}
		c.Say(x.Verb, target(x)+" ("+frame(x.RequestN)+") got 405 without an Allow header.", headFrames(x)...)
	},
}
