package rules

import "midwire/session/diagnose"

var allowHeaderMissing = &diagnose.Rule{
	ID:       "allow-header-missing",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	On:       diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Status != 405 || !isMCP(c) || headerValues(x.ResponseHead, "Allow") != "" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message: target(x) + " (" + frame(uint64(x.RequestN)) + ") got 405 without an Allow header.",
			Frames:  headFrames(x),
		})
	},
}
