package rules

import "midwire/session/diagnose"

var allowHeaderMissing = rule("allow-header-missing", diagnose.OddResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Status != 405 || !isMCP(c) || headerValues(x.ResponseHead, "Allow") != "" {
		return
	}
	c.Say(x.Verb, target(x)+" ("+frame(x.RequestN)+") got 405 without an Allow header.", headFrames(x)...)
})
