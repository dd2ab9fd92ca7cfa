package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskResultUndeclared = rule("task-result-undeclared", diagnose.ModernResults, func(c *diagnose.Case) {
	if !modernResponse(c) || resultType(c) != "task" || c.Call.Method == mcp.TasksGet {
		return
	}
	what := ""
	switch {
	case c.Call.Method != mcp.ToolsCall:
		what = ", which is allowed only for tools/call"
	case len(c.Call.Caps) > 0 && wire.Get(c.Call.Caps, "extensions", mcp.ExtensionTasks) == nil:
		what = ", and the request does not declare the extension " + mcp.ExtensionTasks
	default:
		return
	}
	c.Say(c.Call.Method, c.Server()+" responded to "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") with a task ("+frame(c.N)+")"+what+".",
		c.N, c.Call.N)
})
