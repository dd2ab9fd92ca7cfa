package rules

import "midwire/session/diagnose"

var foreignOriginAccepted = &diagnose.Rule{
	ID:       "foreign-origin-accepted",
	Title:    "A local server responds to a web page of a foreign origin",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A web page from another site sent a request to a server on this machine, and got a response. Any page that the user visits can do the same.",
		Wire:  "A request with a public Origin reaches a server under a local Host and gets 2xx, and the response does not allow that origin in Access-Control-Allow-Origin.",
		Cause: "The server does not check the Origin header.",
		Fix:   "In the server: compare Origin with a list of allowed pages, and respond with 403 to all others.",
		Spec:  "2025-11-25 basic/transports: Security Warning",
		Example: `> POST /mcp, Host: localhost:3000, Origin: https://evil.example
< 200`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages == 0 || x.Status > 299 || !hasOrigin(x) {
			return
		}
		origin := x.Header("Origin")
		if origin == "" || !isLoopback(x.Header("Host")) || x.ResponseHeader("Access-Control-Allow-Origin") == origin {
			return
		}
		u := parseURL(origin)
		if u == nil || u.Scheme != "http" && u.Scheme != "https" || isInternal(u.Host) {
			return // an extension or a local page
		}
		c.ReportAs(origin, diagnose.Finding{
			Message: "A page of " + quote(origin) + " sent " + quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") to the server on this machine, and got " +
				httpStatus(int(x.Status)) + ".",
			Frames: headFrames(x),
		})
	},
}
