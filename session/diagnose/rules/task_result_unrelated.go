package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var taskResultUnrelated = &diagnose.Rule{
	ID:       "task-result-unrelated",
	Title:    "The result of a task does not name its task",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	From:     mcp.V20251125,
	To:       mcp.V20251125,
	Help: diagnose.Help{
		Means: "The response to tasks/result is the result of the original call and has no member for the task's id. The id must be in _meta, so that hosts can relate the two.",
		Wire:  `The result of tasks/result has no _meta["io.modelcontextprotocol/related-task"].`,
		Cause: "The server returns the stored result unchanged.",
		Fix:   `In the server: add "_meta":{"io.modelcontextprotocol/related-task":{"taskId":"…"}} to the result.`,
		Spec:  "2025-11-25 basic/utilities/tasks: Associating Task-Related Messages",
		Example: `> {"jsonrpc":"2.0","id":6,"method":"tasks/result","params":{"taskId":"t1"}}
< {"jsonrpc":"2.0","id":6,"result":{"content":[]}}`,
	},
	On:      diagnose.Results,
	Methods: []string{mcp.TasksResult},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Result("_meta", mcp.MetaRelatedTask) != nil {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: the(sender(c)) + " responded to " + about(c.Call) + " without the task's id in _meta (" + frame(c.N) + ").",
			Frames:  []uint64{c.N, c.Call.N},
			Side:    sender(c),
		})
	},
}
