package rules

import "midwire/session/diagnose"

var corsResponseHidden = &diagnose.Rule{
	ID:       "cors-response-hidden",
	Title:    "A browser client is not allowed to read the response",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The server responded to a web page of another origin without CORS permission, so the browser does not give the response to the page. The page sees “Failed to fetch” for every response.",
		Wire:  "A request of a browser with an Origin header gets a response without Access-Control-Allow-Origin, or with one that names another origin.",
		Cause: "The server has no CORS settings, does not list the origin of the page, or omits the headers from its errors (401 before the CORS middleware).",
		Fix:   "In the server: send Access-Control-Allow-Origin for the page's origin with every response, including errors.",
		Spec:  "WHATWG Fetch: CORS check",
		Example: `> POST /mcp, Origin: http://localhost:6274
< 401`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Verb == "OPTIONS" || x.Messages == 0 && x.Verb == "POST" || !hasOrigin(x) || x.Status == 403 || x.Status == 421 {
			return // a refused origin is meant to read nothing
		}
		if allowsOrigin(x) || !isPage(x) {
			return
		}
		f := diagnose.Finding{Confidence: diagnose.Likely, Frames: headFrames(x)}
		f.Message = target(x) + " (" + frame(uint64(x.RequestN)) + ") of the page " + quote(x.Header("Origin")) + " got " + httpStatus(int(x.Status))
		if other := x.ResponseHeader("Access-Control-Allow-Origin"); other != "" {
			f.Message += ", readable only for " + quote(other) + "."
		} else {
			f.Message += ", without Access-Control-Allow-Origin."
		}
		c.ReportAs(x.Verb+httpStatus(int(x.Status)), f)
	},
}
