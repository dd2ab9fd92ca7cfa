package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var duplicateResponse = rule("duplicate-response", diagnose.Strays, func(c *diagnose.Case) {
	if !stray(c) || noID(c) || !assigned(c) && c.Exchange == nil || !diagnose.State[budget](c).spend() {
		return
	}
	if c.Exchange != nil && c.Exchange.Status >= 400 {
		return // HTTP refuses what had its response elsewhere: a gateway gave up waiting
	}
	call := respondedCall(c)
	if call == nil {
		return
	}
	blameSender(c, "", "responded to "+c.Tracker().Name(call.Name)+" ("+frame(call.Request)+") a second time. The first response was "+frame(call.Response)+".",
		c.N, uint64(call.Response), uint64(call.Request))
})

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
