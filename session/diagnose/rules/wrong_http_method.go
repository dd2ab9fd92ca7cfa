package rules

import "midwire/session/diagnose"

var wrongHTTPMethod = &diagnose.Rule{
	ID:       "wrong-http-method",
	Title:    "A message is sent with another HTTP method than POST",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "MCP messages are sent with POST. Servers treat GET as a request for a stream, DELETE as the end of the session, and refuse all other methods.",
		Wire:  "A PUT, PATCH or GET whose body is a JSON-RPC message.",
		Cause: "A hand-written client, a test tool, or a redirect (301, 302) after which a library continues with GET.",
		Fix:   "In the client: send every message with POST.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> PUT /mcp {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 405`,
	},
	On: diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Messages == 0 || x.Verb == "POST" {
			return
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") was sent with " + x.Verb + ".",
			Frames:  []uint64{uint64(x.RequestN)},
		})
	},
}
