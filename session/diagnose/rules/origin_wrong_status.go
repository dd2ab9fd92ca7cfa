package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var originWrongStatus = &diagnose.Rule{
	ID:       "origin-wrong-status",
	Title:    "An invalid Origin was not refused with 403",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	Help: diagnose.Help{
		Means: "The server correctly refuses a web page by its origin, with a status that has another meaning for clients.",
		Wire:  "A request with an Origin gets an error about the origin that is not HTTP 403.",
		Cause: "A CORS library or a framework makes the check and responds with 400 or 500.",
		Fix:   "In the server: respond to an invalid Origin with 403.",
		Spec:  "2025-11-25 basic/transports: Security Warning",
		Example: `> POST /mcp, Origin: http://evil.example
< 400 Invalid origin`,
	},
	On: diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Status == 403 || x.Status < 400 || !isMCP(c) || x.Header("Origin") == "" || !blamesOrigin(c.Refusal) {
			return
		}
		c.ReportAs(httpStatus(int(x.Status)), diagnose.Finding{
			Message: "The Origin " + quote(x.Header("Origin")) + " of " + target(x) + " (" + frame(uint64(x.RequestN)) + ") was refused with " +
				httpStatus(int(x.Status)) + " instead of 403: " + quote(c.Refusal.Text) + ".",
			Frames: headFrames(x),
		})
	},
}
