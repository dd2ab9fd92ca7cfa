package rules

import (
	"midwire/session/diagnose"
	"midwire/session/operation"
)

var cachedResponse = rule("cached-response", diagnose.OddResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status < 400 || !isMCP(c) {
		return
	}
	if mark := operation.Cached(x.ResponseHeader); mark != "" {
		c.ReportAs(x.Verb+mark[:1], diagnose.Finding{
			Frames: headFrames(x),
			Message: "A cache responded to " + target(x) + " (" + frame(x.RequestN) + ") with " + httpStatus(int(x.Status)) +
				" in place of " + c.Server() + ": " + quote(mark) + ".",
		})
	}
})
