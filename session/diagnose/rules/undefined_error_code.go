package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var undefinedErrorCode = &diagnose.Rule{
	ID:       "undefined-error-code",
	Title:    "An error has a code that the protocol reserves and does not define",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means:   "Codes from -32020 to -32099 are reserved for the protocol, and -32002 and -32042 were removed. A client cannot know what the server means, and may take it for a code of a later protocol version.",
		Wire:    "The code of an error is between -32099 and -32020 and none of -32020, -32021 and -32022; or it is -32002 or -32042.",
		Cause:   "The server uses codes of earlier protocol versions, or chose one of its own from the reserved range.",
		Fix:     "In the server: use -32602 for a resource that does not exist, an input_required result where a URL must be opened, and codes outside -32768 to -32000 for errors of your own.",
		Spec:    "2026-07-28 basic/index: Error Codes",
		Example: `< {"jsonrpc":"2.0","id":4,"error":{"code":-32002,"message":"Resource not found"}}`,
	},
	On: diagnose.Errors,
	Check: func(c *diagnose.Case) {
		code := errorCode(c)
		reserved := code >= mcp.CodesProtocolFrom && code < mcp.CodeUnsupportedVersion
		if c.Call == nil || c.Dir != wire.ToClient ||
			!reserved && code != mcp.CodeResourceNotFound && code != mcp.CodeURLElicitation || !speaksModern(c) {
			return
		}
		c.ReportAs(strconv.FormatInt(code, 10), diagnose.Finding{
			Message: "The server refused " + about(c.Call) + " with the code " + strconv.FormatInt(code, 10) + ", which protocol version 2026-07-28 does not define: " + quote(errorText(c)) + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}

// speaksModern says that the server in hand has responded in the way of
// 2026-07-28 before. What an older one says to a probe follows older rules.
func speaksModern(c *diagnose.Case) bool {
	return c.Call.Modern && c.Facts != nil && c.Session.Modern && c.Facts.LastOK != 0
}
