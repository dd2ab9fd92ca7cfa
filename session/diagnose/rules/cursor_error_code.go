package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var cursorErrorCode = &diagnose.Rule{
	ID:       "cursor-error-code",
	Title:    "A server refuses a cursor with the wrong error code",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Lint:     "L-36",
	Help: diagnose.Help{
		Means: "A cursor that a server does not know should be answered with -32602, invalid parameters. A client then knows that it must begin the list anew. With another code it takes the server for broken.",
		Wire:  "A list request with a cursor, answered with an error that speaks of the cursor and has another code than -32602.",
		Cause: "The server fails while it decodes the cursor, and the failure comes out as an internal error.",
		Fix:   "In the server: check the cursor first, and answer -32602 when it is none of yours or has become invalid.",
		Spec:  "2025-11-25 server/utilities/pagination: Error Handling",
		Example: `> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"gone"}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"invalid cursor"}}`,
	},
	On:      diagnose.Refusals,
	Methods: pagedMethods,
	Check: func(c *diagnose.Case) {
		r := c.Refusal
		if !r.RPC || c.Call == nil || c.Call.Dir != wire.ToServer || r.Code == -32602 || !r.Says("cursor") || wire.Get(c.Call.Params, "cursor") == nil {
			return
		}
		raw := string(wire.Get(c.Message.Error, "code"))
		c.ReportAs(c.Call.Method+raw, diagnose.Finding{
			Message: "The server refused the cursor of " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") with the code " + raw + " (" + frame(c.N) + "), and should with -32602: " + quote(r.Text) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
