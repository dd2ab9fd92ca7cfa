package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseRefused = &diagnose.Rule{
	ID:       "response-refused",
	Title:    "The client's response to a request of the server was refused",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "The server sent the client a request (elicitation, sampling, roots, ping), the client responded, and the response was refused. The server waits forever, and so does the call that needs the response.",
		Wire:  "A POST that holds a JSON-RPC response gets 4xx or 5xx instead of 202.",
		Cause: "A gateway supports only requests and notifications, or lost the server that sent the request; or the server treats a response as a malformed request.",
		Fix:   "In the gateway or server: accept POSTs with a response, route them by session to the sender of the request, and respond with 202.",
		Spec:  "2025-11-25 basic/transports: Sending Messages to the Server",
		Example: `< data: {"jsonrpc":"2.0","id":1,"method":"elicitation/create",…}
> POST /mcp {"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}
< 400 invalid request`,
	},
	On: diagnose.Results | diagnose.Errors | diagnose.Refusals,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Verb != "POST" || c.Session == nil {
			return
		}
		switch {
		case c.Refusal != nil:
			if x.Calls == 0 && x.Messages > 0 {
				s := diagnose.State[pendingResponse](c)
				if s.x == x.X && !aboutSession(c) && !blamesVersion(c.Refusal) && x.Status != 401 &&
					x.Status != 406 && x.Status != 421 {
					c.ReportAs(s.method, diagnose.Finding{
						Message: "The server sent " + quote(s.method) + " (" + frame(s.call) + "), the client responded (" + frame(s.n) + "), and the response was refused with " +
							httpStatus(int(x.Status)) + because(c) + ".",
						Frames: []uint64{uint64(x.ResponseN), s.n, s.call},
					})
				}
			}
		case c.Kind == messageKind && c.Dir == wire.ToServer && c.Call != nil:
			*diagnose.State[pendingResponse](c) = pendingResponse{x: x.X, call: c.Call.N, n: c.N, method: c.Call.Method}
		}
	},
}

// pendingResponse is the latest response of a client that is on its way.
type pendingResponse struct {
	x       uint32
	call, n uint64
	method  string
}
