package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var duplicateResponse = &diagnose.Rule{
	ID:       "duplicate-response",
	Title:    "A request got two responses",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A request gets exactly one response. No request waits for the second one: most clients report an error, some close the connection.",
		Wire:  "Two responses with the same id, and one request.",
		Cause: "The code sends a result, and then an error when a later step fails; or a gateway retries and delivers both responses.",
		Fix:   "In the side that responds: send one response per request, and log later failures.",
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
			Message: the(sender(c)) + " responded to " + c.Tracker().Name(call.Name) + " (" + frame(uint64(call.Request)) + ") a second time. The first response was " +
				frame(uint64(call.Response)) + ".",
			Frames: []uint64{c.N, uint64(call.Response), uint64(call.Request)},
			Side:   sender(c),
		})
	},
}

// respondedCall is the call with the id of the stray response in hand that had
// its response already, nil for none. Over Streamable HTTP it counts only on the
// response of its own request: streams may be played again, and clients may post
// a response once more that HTTP refused.
func respondedCall(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	piped := overStdio(c) || c.Session.Transport == session.TransportSSE && sender(c) == diagnose.Server
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return other == id && r.Response != 0 &&
			(piped || c.Exchange != nil && r.X == c.Exchange.X && sender(c) == diagnose.Server)
	})
}
