package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var responseOnWrongStream = &diagnose.Rule{
	ID:       "response-on-wrong-stream",
	Title:    "A response arrives on the wrong connection",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "Over Streamable HTTP the response to a request belongs to the response of its own POST. This one came in another HTTP exchange: clients that wait at the right place wait forever.",
		Wire:  "A JSON-RPC response on the stream of a GET that resumes nothing, or in the response to the POST of another request.",
		Cause: "The server writes all responses to one stream, as HTTP+SSE did, or mixes up the connections of concurrent requests.",
		Fix:   "In the server: keep the POST of each request open, and respond there.",
		Spec:  "2025-11-25 basic/transports: Listening for Messages from the Server",
		Example: `> GET /mcp, Accept: text/event-stream
> POST /mcp {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< on the stream of the GET: {"jsonrpc":"2.0","id":1,"result":{…}}`,
	},
	On:     diagnose.Results | diagnose.Errors,
	Covers: []string{"stream-after-response", "stream-ended-early"},
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.RequestN == 0 || c.Call == nil || c.Call.X == x.X || c.Dir != wire.ToClient ||
			c.Call.Dir != wire.ToServer || isSSE(c) || c.Session.Transport != session.TransportHTTP {
			return
		}
		if x.Verb == "GET" && x.Header(mcp.HeaderLastEventID) != "" {
			return // resumed
		}
		c.ReportAs(x.Verb, diagnose.Finding{
			Message: "The response to " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") came on " + target(x) + " (" + frame(uint64(x.RequestN)) + "), not in the response to its own POST.",
			Frames:  []uint64{c.N, c.Call.N, uint64(x.RequestN)},
		})
	},
}
