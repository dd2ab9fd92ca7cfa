package rules

import "midwire/session/diagnose"

var notAcceptable = &diagnose.Rule{
	ID:       "not-acceptable",
	Title:    "406 although the client accepts both kinds of response",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The client's Accept header is correct at midwire, and the server still complains about it. Either another header arrives at the server, or the server cannot produce the requested media type.",
		Wire:  "A request that lists application/json and text/event-stream gets 406 Not Acceptable.",
		Cause: "A gateway, CDN or framework between midwire and the server replaces or drops the Accept header.",
		Fix:   "Check what is between midwire and the server, and make it pass on Accept unchanged. A second midwire directly in front of the server shows the header that arrives there.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp, Accept: application/json, text/event-stream
< 406 Not Acceptable`,
	},
	Header: "Accept",
	On:     diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) || notAccepted(x, headerValues(x.RequestHead, "Accept")) != "" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message:    target(x) + " (" + frame(uint64(x.RequestN)) + ") has a correct Accept header, and was refused with 406: " + quote(c.Refusal.Text) + ".",
			Confidence: diagnose.Likely,
			Frames:     headFrames(x),
		})
	},
}
