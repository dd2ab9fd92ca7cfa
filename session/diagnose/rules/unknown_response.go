package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var unknownResponse = &diagnose.Rule{
	ID:       "unknown-response",
	Title:    "A response has an id that no request had",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A response must have the id of its request. No request has this id, so the response is dropped, and the request it was meant for waits in vain.",
		Wire:  "A response whose id is in no request that the other side sent in this session.",
		Cause: "The responding side invents its own ids, responds to a request of an earlier connection, or a gateway mixed up the requests of several clients.",
		Fix:   "In the side that responds: send back the id of the request unchanged, on the connection of the request.",
		Spec:  "2025-11-25 basic/index: Responses",
		Example: `> {"jsonrpc":"2.0","id":4,"method":"tools/list"}
< {"jsonrpc":"2.0","id":104,"result":{"tools":[]}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !stray(c) || noID(c) || !assigned(c) || !complete(c) || !ownChannel(c) ||
			!diagnose.State[budget](c).spend() {
			return
		}
		if mistyped(c) != nil {
			return
		}
		id := string(c.Message.ID)
		if latestCall(c, c.Dir.Opposite(), func(_ *session.Row, other string) bool { return other == id }) != nil {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " responded under the id " + raw(id) + " (" + frame(c.N) + "). No request in this session has this id.",
			Side:    sender(c),
		})
	},
}

// ownChannel says whether responses are distinguished by their id alone: on a pipe,
// on the stream of HTTP+SSE, and what a client posts. A response to a POST is the
// business of the rules for HTTP.
func ownChannel(c *diagnose.Case) bool {
	if sender(c) == diagnose.Client {
		// A stream that midwire cannot read may hold the request.
		return !c.IsModern() && (overStdio(c) || c.Session.Noise == 0)
	}
	return overStdio(c) || c.Session.Transport == session.TransportSSE
}
