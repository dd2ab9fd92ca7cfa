package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var duplicateResponse = &diagnose.Rule{
	ID:       "duplicate-response",
	Title:    "A request was answered twice",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "L-03",
	Help: diagnose.Help{
		Means: "A request gets exactly one response. The second one finds nobody who waits: most clients report an error, some break the connection off.",
		Wire:  "Two responses with the same id, and one request.",
		Cause: "The answering code sends a result and then, when something fails behind it, an error as well; or a retry inside a gateway delivers both answers.",
		Fix:   "In the side that answers: send one response per request, and log what fails afterwards.",
		Spec:  "2025-11-25 basic/index: Responses",
		Example: `< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error"}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !stray(c) || noID(c) || !assigned(c) && c.Exchange == nil || !diagnose.State[budget](c).spend() {
			return
		}
		call := respondedCall(c)
		if call == nil {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " answered " + c.Tracker().Name(call.Name) + " (" + frame(uint64(call.Request)) + ") a second time. The first answer was " +
				frame(uint64(call.Response)) + ".",
			Frames: []uint64{c.N, uint64(call.Response), uint64(call.Request)},
			Fault:  sender(c),
		})
	},
}

// answeredCall is the call with the id of the stray response in hand that had
// its answer already, nil for none. Over Streamable HTTP it counts only on the
// response of its own request: streams may be played again, and clients may post
// an answer once more that HTTP refused.
func respondedCall(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	piped := overStdio(c) || c.Session.Transport == session.TransportSSE && sender(c) == diagnose.Server
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return other == id && r.Response != 0 &&
			(piped || c.Exchange != nil && r.X == c.Exchange.X && sender(c) == diagnose.Server)
	})
}
