package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var responseRefused = &diagnose.Rule{
	ID:       "response-refused",
	Title:    "The client's answer to a request of the server was refused",
	Severity: diagnose.Error,
	Fault:    diagnose.Gateway,
	Era:      diagnose.Handshake,
	Lint:     "F29",
	Help: diagnose.Help{
		Means: "The server asked the client something (elicitation, sampling, roots, ping), the client answered, and the answer was turned away on its way. The server waits for ever, and so does the call that needed the answer.",
		Wire:  "A POST that holds a JSON-RPC response is answered with 4xx or 5xx instead of 202.",
		Cause: "A gateway that knows only requests and notifications, or has lost which server the question came from; or the server takes a response for a malformed request.",
		Fix:   "In the gateway or server: accept POSTs that hold a response, route them by session to where the question came from, and answer 202.",
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
						Message: "The server asked for " + quote(s.method) + " (" + frame(s.call) + "), the client answered (" + frame(s.n) + "), and the answer was refused with " +
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

// pendingAnswer is the latest answer of a client that is on its way.
type pendingResponse struct {
	x       uint32
	call, n uint64
	method  string
}
