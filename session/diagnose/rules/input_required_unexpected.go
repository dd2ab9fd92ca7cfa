package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var inputRequiredUnexpected = &diagnose.Rule{
	ID:       "input-required-unexpected",
	Title:    "A method asks for input that is not allowed to",
	Brief:    "input asked where it may not",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	On:       diagnose.ModernResults,
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || mcp.TakesInput(c.Call.Method) || resultType(c) != "input_required" {
			return
		}
		c.Say(c.Call.Method, c.Server()+" responded to "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") by asking for input ("+frame(c.N)+"), which it may do for tools/call, prompts/get and resources/read only.",
			c.N, c.Call.N)
	},
}
