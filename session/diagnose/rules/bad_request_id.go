package rules

import (
	"bytes"

	"midwire/session/diagnose"
)

var badRequestID = rule("bad-request-id", diagnose.Requests, func(c *diagnose.Case) {
	if usableID(c.Message.ID) {
		return
	}
	blameSender(c, "", "sent "+quote(c.Method())+" ("+frame(c.N)+") with the id "+raw(c.Message.ID)+", which is neither a string nor an integer.")
})

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
