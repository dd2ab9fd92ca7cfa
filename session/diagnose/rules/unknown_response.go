package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var unknownResponse = rule("unknown-response", diagnose.Strays, func(c *diagnose.Case) {
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
	blameSender(c, "", "responded under the id "+raw(id)+" ("+frame(c.N)+"). No request in this session has this id.")
})

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
