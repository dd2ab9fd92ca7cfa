package rules

import "midwire/session/diagnose"

var notAcceptable = &diagnose.Rule{
	ID:       "not-acceptable",
	Title:    "406 although the client accepts both kinds of response",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The client's Accept header is right where midwire sees it, and the server complains of it all the same. What arrives at the server is another header, or the server cannot give what it is asked for.",
		Wire:  "A request that lists application/json and text/event-stream gets 406 Not Acceptable.",
		Cause: "A gateway, CDN or framework between midwire and the server replaces or drops the Accept header.",
		Fix:   "Look at what stands between midwire and the server and make it pass on Accept unchanged. A second midwire right before the server shows what arrives there.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp, Accept: application/json, text/event-stream
< 406 Not Acceptable`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status != 406 || isSSE(c) || !isMCP(c) || notAccepted(x, headerValues(x.RequestHead, "Accept")) != "" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message:    target(x) + " (" + frame(uint64(x.RequestN)) + ") lists what it has to in its Accept header, and was refused with 406: " + quote(c.Refusal.Text) + ".",
			Confidence: diagnose.Likely,
			Frames:     headFrames(x),
		})
	},
}
