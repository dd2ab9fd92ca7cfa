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
	Title:    "An invalid cursor is refused with the wrong error code",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A cursor that the server does not accept is an invalid parameter: -32602. From another code a client does not know that it must start again at the first page.",
		Wire:  "A list request with a cursor gets an error about the cursor with a code other than -32602.",
		Cause: "The server passes on the error of its cursor decoder unchanged.",
		Fix:   "In the server: validate the cursor first, and respond with -32602 when it is invalid.",
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
