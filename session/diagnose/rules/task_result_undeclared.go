package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskResultUndeclared = &diagnose.Rule{
	ID:       "task-result-undeclared",
	Title:    "A server responds with a task that the request did not allow",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "Tasks are an extension. A server may respond to a tools/call with a task only when that request declares the extension. Other clients see a result without content and never ask again.",
		Wire:  `A result with "resultType":"task" for a request whose clientCapabilities.extensions lacks io.modelcontextprotocol/tasks, or for another method than tools/call.`,
		Cause: "The server creates a task for every slow tool, or remembers that another request declared the extension.",
		Fix:   "In the server: without the declaration run the tool to its end, or respond with -32021 and data.requiredCapabilities that names the extension.",
		Spec:  "2026-07-28 extensions/tasks (SEP-2663): Capability Negotiation",
		Example: `> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{…"_meta":{"io.modelcontextprotocol/clientCapabilities":{},…}}}
< {"jsonrpc":"2.0","id":4,"result":{"resultType":"task","taskId":"t1","status":"working",…}}`,
	},
	On: diagnose.Results,
	Check: func(c *diagnose.Case) {
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
		c.ReportAs(c.Call.Method, diagnose.Finding{
			Message: "The server responded to " + quote(c.Call.Method) + " (" + frame(c.Call.N) + ") with a task (" + frame(c.N) + ")" + what + ".",
			Frames:  []uint64{c.N, c.Call.N},
		})
	},
}
