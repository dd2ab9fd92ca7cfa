package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var inputRequiredUnexpected = rule("input-required-unexpected", diagnose.ModernResults, func(c *diagnose.Case) {
	if !modernResponse(c) || mcp.TakesInput(c.Call.Method) || resultType(c) != "input_required" {
		return
	}
	c.Say(c.Call.Method, c.Server()+" responded to "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") by asking for input ("+frame(c.N)+"), which it may do for tools/call, prompts/get and resources/read only.",
		c.N, c.Call.N)
})
