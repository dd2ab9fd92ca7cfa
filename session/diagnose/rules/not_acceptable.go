package rules

import "midwire/session/diagnose"

var notAcceptable = &diagnose.Rule{
	ID:       "not-acceptable",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	On:       diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) || notAccepted(x, headerValues(x.RequestHead, "Accept")) != "" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message:    target(x) + " (" + frame(x.RequestN) + ") has a correct Accept header, and was refused with 406: " + quote(c.Refusal.Text) + ".",
			Confidence: diagnose.Likely,
			Frames:     headFrames(x),
		})
	},
}
