package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var questionRefused = &diagnose.Rule{
	ID: "question-refused",
	On: diagnose.Errors,
	Methods: []string{
		mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList, mcp.TasksGet, mcp.TasksResult,
	},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToServer || c.Call == nil {
			return
		}
		switch errorCode(c) {
		case mcp.CodeInvalidParams, mcp.CodeInternalError, mcp.CodeInvalidRequest:
		default:
			return // people say no with codes of their own, and what is not known has other rules
		}
		c.Say(c.Call.Method, c.Client()+" refused the request "+about(c.Call)+" of the server with the error "+number(errorCode(c))+" ("+frame(c.N)+"): "+
			quoteLong(errorText(c))+".", c.N, c.Call.N)
	},
}
