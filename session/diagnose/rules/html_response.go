package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var htmlResponse = &diagnose.Rule{
	ID:       "html-response",
	Title:    "The response is a web page instead of JSON-RPC",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "Something in front of the MCP server, or its web framework, responded with a page for people. Clients report a parse error, “Unexpected token <”.",
		Wire:  "A message is posted to an MCP endpoint, and the response is text/html: 502, 503 or 504 of a reverse proxy, a login page, a challenge of a firewall, or 413 for a large request.",
		Cause: "The server is down, restarting or too slow for the gateway (502 to 504); a firewall or bot check stops the client (403, 429); or a login expired.",
		Fix:   "For 502 to 504 check the server behind the gateway, and the gateway's time limits. For 403 and 429 exempt the MCP path from the check.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":4,"method":"tools/call",…}
< 502 text/html <html><head><title>502 Bad Gateway</title>…`,
	},
	On:     diagnose.HTTPResponses,
	Covers: []string{"wrong-content-type", "challenge-missing"},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages == 0 || x.IsStream || x.Status >= 300 && x.Status < 400 || x.Status == 404 || x.Status == 405 {
			return
		}
		if !wire.IsMediaType(x.ResponseHeader("Content-Type"), "text/html") {
			return
		}
		guarded := x.Status >= 500 || x.Status == 401 || x.Status == 403 || x.Status == 413 || x.Status == 429
		if !guarded && (c.Facts == nil || c.Facts.LastOK == 0) {
			return // no MCP here at all: wrong-url says so
		}
		f := diagnose.Finding{Frames: headFrames(x), Confidence: diagnose.Likely}
		f.Message = target(x) + " with " + quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") got " + httpStatus(int(x.Status)) + " and a web page"
		if by := x.ResponseHeader("Server"); by != "" {
			f.Message += " by " + quote(by)
		}
		f.Message += "."
		if x.Status == 413 {
			f.Cause = "The request is larger than a limit of the gateway or of the server's web framework (Express: 100 kB, nginx: 1 MB, unless set)."
			f.Fix = "Raise the limit for bodies (express.json limit, client_max_body_size), or send less."
		}
		if x.ResponseHeader("X-Powered-By") != "" {
			f.Side = diagnose.Server // a framework's own page
		}
		c.ReportAs(httpStatus(int(x.Status)), f)
	},
}
