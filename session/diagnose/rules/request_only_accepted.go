package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var requestOnlyAccepted = &diagnose.Rule{
	ID:       "request-only-accepted",
	Title:    "A request got 202 instead of a response",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "202 means that a notification was accepted. A request needs a response, and over Streamable HTTP the response belongs to the same POST. The client waits for it in vain.",
		Wire:  "A POST with a request gets 202 and no content.",
		Cause: "The server responds on another stream, as HTTP+SSE did, or does not check for an id before it sends 202; or a gateway queues messages.",
		Fix:   "In the server: respond to a POST with a request with 200 and application/json or text/event-stream.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `> POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< 202`,
	},
	On: diagnose.HTTPResponses,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x.Status != 202 || x.Calls == 0 || x.Verb != "POST" || !isSure(c) || c.Session.State == session.StateClosed {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: quote(rowName(c)) + " (" + frame(uint64(x.RequestN)) + ") is a request, and got only 202.",
			Frames:  headFrames(x),
		})
	},
}
