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
	Help: diagnose.Help{
		Means: "A response has either a result or an error, never both, and an error has an integer code and a message. Strict clients reject any other response before they read it, so the call seems to hang.",
		Wire:  `"result" and "error" in one response (also "error":null), a code such as "ENOENT" or 1.5, or an error without a message.`,
		Cause: "A hand-written server always sends both members, as JSON-RPC 1.0 did, or passes on the code of an exception.",
		Fix:   "In the side that responds: omit the member that does not apply, use an integer code such as -32603, and always send a message.",
		Spec:  "2025-11-25 basic/index: Responses",
		Example: `< {"jsonrpc":"2.0","id":2,"result":{"tools":[]},"error":null}
< {"jsonrpc":"2.0","id":3,"error":{"code":"ENOENT","message":"no such file"}}`,
	},
	On: diagnose.Errors,
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
		c.ReportAs(key, diagnose.Finding{
			Message: the(sender(c)) + " sent a response (" + frame(c.N) + ") with " + key + ".",
			Side:    sender(c),
		})
	},
}
