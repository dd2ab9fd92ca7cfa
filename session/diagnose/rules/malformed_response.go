package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var malformedResponse = &diagnose.Rule{
	ID:       "malformed-response",
	Title:    "A response is neither a valid result nor a valid error",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.Errors,
	Check: func(c *diagnose.Case) {
		code, message := wire.Get(c.Message.Error, "code"), wire.Get(c.Message.Error, "message")
		_, number := wire.Int(code)
		key := ""
		switch {
		case c.Message.Result != nil:
			key = "both a result and an error"
		case code == nil:
			key = "an error without a code"
		case !number:
			key = "an error whose code " + raw(code) + " is no integer"
		case len(message) == 0 || message[0] != '"':
			key = "an error without a message"
		default:
			return
		}
		blameSender(c, key, "sent a response ("+frame(c.N)+") with "+key+".")
	},
}
