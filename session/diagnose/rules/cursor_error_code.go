package rules

import (
	"strconv"
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var cursorErrorCode = &diagnose.Rule{
	ID:       "cursor-error-code",
	Title:    "A bad cursor is refused with the wrong code",
	Severity: diagnose.Warning,
	Fault:    diagnose.Server,
	Lint:     "L-36",
	Help: diagnose.Help{
		Means: "A cursor that the server does not accept is a bad parameter: -32602. With another code a client does not know that it should start again at the first page.",
		Wire:  "A list request with a cursor is answered with an error about the cursor that has another code than -32602.",
		Cause: "The failure to decode the cursor is passed on as it is.",
		Fix:   "In the server: check the cursor first, and answer -32602 when it is not yours.",
		Spec:  "2025-11-25 server/utilities/pagination: Error Handling",
		Example: `> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"old"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"invalid cursor"}}`,
	},
	On:      diagnose.Errors,
	Methods: lists,
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Dir != wire.ToClient {
			return
		}
		code, words := errorCode(c), errorText(c)
		if code == mcp.CodeInvalidParams || !strings.Contains(strings.ToLower(words), "cursor") ||
			len(wire.Get(c.Call.Params, "cursor")) == 0 {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The server refused the cursor of " + about(c.Call) + " with the code " + strconv.FormatInt(code, 10) + ": " + quote(words) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
