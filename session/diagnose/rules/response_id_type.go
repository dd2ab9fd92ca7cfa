package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
)

var responseIDType = &diagnose.Rule{
	ID:       "response-id-type",
	Title:    "A response has the id of a request in another JSON type",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: `A response must return the id of its request unchanged: "1" is not 1. The side that sent the request does not recognise the response, drops it, and waits until its time limit.`,
		Wire:  `A request has the id "1" and the response the id 1, or the reverse.`,
		Cause: "The responding side stores ids only as numbers or only as strings, or a gateway renumbers requests.",
		Fix:   "In the side that responds: keep the id as raw JSON and send it back unchanged.",
		Spec:  "2025-11-25 basic/index: Responses",
		Example: `> {"jsonrpc":"2.0","id":"7","method":"tools/list"}
< {"jsonrpc":"2.0","id":7,"result":{"tools":[]}}`,
	},
	On: diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !stray(c) || noID(c) || c.Facts == nil || !diagnose.State[budget](c).spend() {
			return
		}
		call := mistyped(c)
		if call == nil {
			return
		}
		f := diagnose.Finding{
			Message: the(sender(c)) + " responded with the id " + raw(c.Message.ID) + ". The request " + c.Tracker().Name(call.Name) + " (" +
				frame(uint64(call.Request)) + ") had the id " + raw(c.Tracker().Name(call.ID)) + " and is still pending.",
			Frames: []uint64{c.N, uint64(call.Request)},
			Side:   sender(c),
		}
		if c.Message.ID[0] != '"' && c.Tracker().Name(call.ID)[0] != '"' {
			f.Severity = diagnose.Note // 1.0 for 1: some peers take it for the same
		}
		c.ReportAs("", f)
	},
}

// mistyped is the unanswered call that the response in hand means, if its id
// had the right type; nil for none.
func mistyped(c *diagnose.Case) *session.Row {
	id := string(c.Message.ID)
	return latestCall(c, c.Dir.Opposite(), func(r *session.Row, other string) bool {
		return r.Response == 0 && otherType(id, other)
	})
}
