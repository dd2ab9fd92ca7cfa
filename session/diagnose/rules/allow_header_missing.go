package rules

import "midwire/session/diagnose"

var allowHeaderMissing = &diagnose.Rule{
	ID:       "allow-header-missing",
	Title:    "A 405 response does not list the allowed methods",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "405 says that the endpoint does not offer this HTTP method. The response must list the methods that it offers. MCP clients work without the list; other software may not.",
		Wire:  "405 Method Not Allowed without an Allow header.",
		Cause: "The server sets the status by hand and forgets the header.",
		Fix:   "In the server: send the Allow header with 405, for example Allow: POST.",
		Spec:  "RFC 9110 15.5.6; 2025-11-25 basic/transports: Listening for Messages from the Server",
		Example: `> GET /mcp, Accept: text/event-stream
< 405`,
	},
	On: diagnose.HTTPResponses,
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
