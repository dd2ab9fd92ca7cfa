package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var modernServerRequest = &diagnose.Rule{
	ID:       "modern-server-request",
	Title:    "A server sends its client a request, which 2026-07-28 does not have",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "In 2026-07-28 only clients send requests. A server that needs sampling, elicitation or roots ends the call with a result of the type input_required and waits for the retry. A client of this protocol version does not respond to a request, so the call hangs.",
		Wire:  "A JSON-RPC request on the response stream of a request of 2026-07-28.",
		Cause: "The server's tool uses sampling or elicitation as in older protocol versions, whatever the protocol version of the request is.",
		Fix:   "In the server: return resultType input_required with inputRequests, and take the input from inputResponses of the retry. Most libraries do this in their newest API.",
		Spec:  "2026-07-28 basic/transports/streamable-http: Receiving Messages",
		Example: `> POST /mcp  {"jsonrpc":"2.0","id":6,"method":"tools/call",…}
< data: {"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{…}}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
		if c.Exchange == nil || c.Dir != wire.ToClient {
			return
		}
		row := c.Tracker().Row(int(c.Row))
		if row.Parent < 0 || !c.Tracker().Row(int(row.Parent)).Modern {
			return
		}
		call := c.Tracker().Row(int(row.Parent))
		c.ReportAs(c.Call.Method, diagnose.Finding{
			Message: "The server sent the request " + quote(c.Call.Method) + " (" + frame(c.N) + ") on the stream of " + quote(c.Tracker().Name(call.Name)) + " (" +
				frame(uint64(call.Request)) + "), a request of 2026-07-28.",
			Frames: []uint64{c.N, uint64(call.Request)},
		})
	},
}
