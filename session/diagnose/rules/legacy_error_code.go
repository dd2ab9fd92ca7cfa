package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var legacyErrorCode = &diagnose.Rule{
	ID:       "legacy-error-code",
	Title:    "An error has a code without a meaning",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means:   "Earlier protocol versions used the codes from -32000 to -32019 for anything, so clients cannot interpret them; 0 is not a valid code. A client cannot see what went wrong.",
		Wire:    "The code of an error is 0, or between -32019 and -32000, in protocol version 2026-07-28.",
		Cause:   "The program passes on its errors without a code of their own, or keeps code from an earlier protocol version.",
		Fix:     "In the server: use -32602 for invalid parameters, -32603 for internal failures, and codes outside -32768 to -32000 for errors of your own.",
		Spec:    "2026-07-28 basic/index: Error Codes",
		Example: `< {"jsonrpc":"2.0","id":4,"error":{"code":0,"message":"index not ready"}}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		code, ok := wire.Int(wire.Get(c.Message.Error, "code"))
		old := code >= mcp.CodesLegacyFrom && code <= mcp.CodesLegacyTo && code != mcp.CodeResourceNotFound
		if c.Call == nil || c.Dir != wire.ToClient || !ok || !old && code != 0 || !speaksModern(c) {
			return
		}
		c.ReportAs(strconv.FormatInt(code, 10), diagnose.Finding{
			Message: "The server refused " + about(c.Call) + " with the code " + strconv.FormatInt(code, 10) + ": " + quote(errorText(c)) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
