package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var inputRequiredUnexpected = &diagnose.Rule{
	ID:       "input-required-unexpected",
	Title:    "A method asks for input that is not allowed to",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "Only tools/call, prompts/get and resources/read may respond that they need more input. For other methods a client does not expect it and cannot provide it.",
		Wire:  `A result with "resultType":"input_required" for another method.`,
		Cause: "The server asks for input in code that all methods share, for example to let the user log in before a list is returned.",
		Fix:   "In the server: ask for input only in tools/call, prompts/get and resources/read, and respond to list requests directly. For a login use HTTP authorization.",
		Spec:  "2026-07-28 basic/patterns/mrtr: Supported Requests",
		Example: `> {"jsonrpc":"2.0","id":2,"method":"tools/list",…}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"input_required","inputRequests":{…}}}`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || mcp.TakesInput(c.Call.Method) || resultType(c) != "input_required" {
			return
		}
		c.ReportAs(c.Call.Method, diagnose.Finding{
			Message: "The server responded to " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") by asking for input (" + frame(c.N) + "), which it may do for tools/call, prompts/get and resources/read only.",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
