package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var unknownResponse = &diagnose.Rule{
	ID:       "unknown-response",
	Title:    "A response has an id that no request had",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "F19 L-03",
	Help: diagnose.Help{
		Means: "A response must carry the id of the request it answers. Nobody asked under this id, so the answer is thrown away, and the request it was meant for waits in vain.",
		Wire:  "A response whose id stands in no request that the other side sent in this session.",
		Cause: "The answering side makes up its own ids, answers a request of an earlier connection, or a gateway mixed up the requests of several clients.",
		Fix:   "In the side that answers: send back the id of the request unchanged, to the connection it came from.",
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
			Message: the(sender(c)) + " answered under the id " + raw(id) + " (" + frame(c.N) + "). No request in this session had it.",
			Fault:   sender(c),
		})
	},
}

// ownChannel says whether responses are told apart by their id alone: on a pipe,
// on the stream of HTTP+SSE, and what a client posts. An answer to a POST is the
// business of the rules for HTTP.
func ownChannel(c *diagnose.Case) bool {
	if sender(c) == diagnose.Client {
		// A stream that nobody can read may hold the request.
		return !c.IsModern() && (overStdio(c) || c.Session.Noise == 0)
	}
	return overStdio(c) || c.Session.Transport == session.TransportSSE
}
