package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var inputRequiredEmpty = &diagnose.Rule{
	ID:      "input-required-empty",
	On:      diagnose.ModernResults,
	Methods: []string{mcp.ToolsCall, mcp.PromptsGet, mcp.ResourcesRead},
	Check: func(c *diagnose.Case) {
		if !modernResponse(c) || resultType(c) != "input_required" {
			return
		}
		asks, foreign := 0, ""
		wire.Each(c.Result("inputRequests"), func(key, ask []byte) bool {
			asks++
			if method := text(wire.Get(ask, "method")); neededCapability(method) == "" && foreign == "" {
				foreign = quote(string(key)) + " with the method " + quote(method)
			}
			return true
		})
		what := ""
		switch {
		case foreign != "":
			what = "asks for " + foreign + ", which the protocol does not allow"
		case asks == 0 && c.Result("requestState") == nil:
			what = "asks for input and has neither inputRequests nor requestState"
		default:
			return
		}
		c.Say(c.Call.Target+what, "The response to "+quote(c.Call.Method)+" ("+frame(c.N)+") "+what+".", c.N, c.Call.N)
	},
}

// neededCapability is what a client declares to be asked a question, "" for
// what must not be asked.
func neededCapability(method string) string {
	switch method {
	case mcp.ElicitationCreate:
		return "elicitation"
	case mcp.SamplingCreateMessage:
		return "sampling"
	case mcp.RootsList:
		return "roots"
	}
	return ""
}
