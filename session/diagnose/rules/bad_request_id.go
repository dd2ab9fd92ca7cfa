package rules

import (
	"bytes"

	"midwire/session/diagnose"
)

var badRequestID = &diagnose.Rule{
	ID:       "bad-request-id",
	Title:    "A request has an id that is neither a string nor an integer",
	Severity: diagnose.Error,
	Side:     diagnose.Client,
	Help: diagnose.Help{
		Means: "The id of a request must be a string or an integer. With null, a fraction, true, an object or an array, the other side cannot match the response to the request, and most peers refuse the message.",
		Wire:  `The member "id" of a request is null, 1.5, true, {…} or […].`,
		Cause: "A hand-written client counts in floating point, or serialises a variable that was never set.",
		Fix:   "In the peer that sends the request: use integers that count up from 1, or strings.",
		Spec:  "2025-11-25 basic/index: Requests",
		Example: `> {"jsonrpc":"2.0","id":null,"method":"tools/list"}
> {"jsonrpc":"2.0","id":1.5,"method":"tools/list"}`,
	},
	On: diagnose.Requests,
	Check: func(c *diagnose.Case) {
		if usableID(c.Message.ID) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " sent " + quote(c.Method()) + " (" + frame(c.N) + ") with the id " + raw(c.Message.ID) + ", which is neither a string nor an integer.",
			Side:    sender(c),
		})
	},
}

// usableID says whether an id is a string or an integer. JSON Schema takes 1.0
// for an integer.
func usableID(id []byte) bool {
	switch {
	case len(id) == 0:
		return false
	case id[0] == '"':
		return true
	case id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		return false
	}
	whole, rest, ok := bytes.Cut(id, []byte("."))
	return !ok || bytes.ContainsAny(whole, "eE") || len(bytes.Trim(rest, "0")) == 0 || bytes.ContainsAny(rest, "eE")
}
