package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var taskResultUnrelated = &diagnose.Rule{
	ID: "task-result-unrelated", On: diagnose.Results, Methods: []string{mcp.TasksResult},
	Check: func(c *diagnose.Case) {
		if c.Call == nil || c.Result("_meta", mcp.MetaRelatedTask) != nil {
			return
		}
		blameSender(c, "", "responded to "+about(c.Call)+" without the task's id in _meta ("+frame(c.N)+").", c.N, c.Call.N)
	},
}
