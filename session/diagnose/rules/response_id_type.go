package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var responseIDType = rule("response-id-type", diagnose.Strays, func(c *diagnose.Case) {
	if !stray(c) || noID(c) || c.Facts == nil || !diagnose.State[budget](c).spend() {
		return
	}
	call := mistyped(c)
	if call == nil {
		return
	}
	f := diagnose.Finding{
		Message: c.Named(sender(c)) + " responded with the id " + raw(c.Message.ID) + ". The request " + c.Tracker().Name(call.Name) + " (" +
			frame(call.Request) + ") had the id " + raw(c.Tracker().Name(call.ID)) + " and is still pending.",
		Frames: []uint64{c.N, uint64(call.Request)},
		Side:   sender(c),
	}
	if c.Message.ID[0] != '"' && c.Tracker().Name(call.ID)[0] != '"' {
		f.Severity = diagnose.Note // 1.0 for 1: some peers take it for the same
	}
	c.ReportAs("", f)
})

// mistyped is the unanswered call that the response in hand means, if its id
// had the right type; nil for none.
func mistyped(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return r.Response == 0 && otherType(id, other)
	})
}
