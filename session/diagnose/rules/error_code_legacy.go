package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var errorCodeLegacy = &diagnose.Rule{
	ID:       "error-code-legacy",
	Title:    "A server of 2026-07-28 uses an error code without a meaning",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Lint:     "L-09",
	Help: diagnose.Help{
		Means: "Codes from -32019 to -32000 were used by every library for something else, so that a client may read nothing into them. New software should not use them, nor 0, which is no error code at all.",
		Wire:  "An error in answer to a request of 2026-07-28 with a code from -32019 to -32000 (other than the withdrawn -32002), or 0.",
		Cause: "The server kept the codes of an older library, or wraps an error of its own that has no code.",
		Fix:   "In the server: -32602 for bad parameters, -32603 for a failure inside, or a code of your own outside of -32768 to -32000.",
		Spec:  "2026-07-28 basic/index: Error Codes",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"query",…}}
< {"jsonrpc":"2.0","id":5,"error":{"code":-32000,"message":"database is locked"}}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if !modernAnswer(c) {
			return
		}
		code, ok := wire.Int(wire.Get(c.Message.Error, "code"))
		if !ok || code == -32002 || code != 0 && (code > -32000 || code < -32019) {
			return
		}
		raw := string(wire.Get(c.Message.Error, "code"))
		c.ReportAs(raw, diagnose.Finding{
			Message: "The server answered " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") with the code " + raw + " (" + frame(c.N) + "), which means nothing: " + quote(text(wire.Get(c.Message.Error, "message"))) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
