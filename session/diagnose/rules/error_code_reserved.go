package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var errorCodeReserved = &diagnose.Rule{
	ID:       "error-code-reserved",
	Title:    "A server uses an error code that is reserved, or was withdrawn",
	Severity: diagnose.Error,
	Fault:    diagnose.Server,
	Lint:     "L-08",
	Help: diagnose.Help{
		Means: "Codes from -32020 to -32099 belong to the specification. 2026-07-28 defines three of them, and has withdrawn -32002 and -32042 of older revisions. A client cannot know what another one means, and will misread it once it is given away.",
		Wire:  "An error in answer to a request of 2026-07-28 with a code from -32099 to -32020 other than -32020, -32021 and -32022, or with -32002 or -32042.",
		Cause: "The server takes the next free number for errors of its own, was written against a draft, or still answers a missing resource with -32002.",
		Fix:   "In the server: -32602 for a resource, tool or prompt that does not exist; a result of the type input_required where -32042 was; for errors of your own a code outside of -32768 to -32000.",
		Spec:  "2026-07-28 basic/index: Error Codes",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"file:///gone",…}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32002,"message":"Resource not found"}}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !modernAnswer(c) {
			return
		}
		code, ok := wire.Int(wire.Get(c.Message.Error, "code"))
		if !ok || code != -32002 && code != -32042 && (code > -32023 || code < -32099) {
			return
		}
		raw := string(wire.Get(c.Message.Error, "code"))
		c.ReportAs(raw, diagnose.Finding{
			Message: "The server answered " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") with the code " + raw + " (" + frame(c.N) + "), which 2026-07-28 does not define and nobody else may: " + quote(text(wire.Get(c.Message.Error, "message"))) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
