package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskLeftEnd = &diagnose.Rule{
	ID:      "task-left-end",
	On:      diagnose.Results | diagnose.Notifications,
	Methods: []string{mcp.TasksGet, mcp.TasksCancel, mcp.NotifyTasksStatus, mcp.NotifyTasks},
	Check: func(c *diagnose.Case) {
		task, asked := c.Message.Result, c.T
		if c.Message.Kind == wire.MsgNotification {
			task = c.Message.Params
		} else if c.Call != nil {
			asked = c.Call.T
		}
		id, status := text(wire.Get(task, "taskId")), text(wire.Get(task, "status"))
		if id == "" || status == "" {
			return
		}
		ends := made(diagnose.State[map[string]taskEnd](c))
		end, over := ends[id]
		if !over {
			if (status == "completed" || status == "failed" || status == "cancelled") && len(ends) < maxTasks {
				ends[id] = taskEnd{c.N, c.T, status}
			}
			return
		}
		// Over HTTP two streams are not in step: only a response counts that was
		// asked for afterwards.
		if end.status == status || asked < end.t || c.Exchange != nil && c.Message.Kind == wire.MsgNotification {
			return
		}
		c.ReportAs(id, diagnose.Finding{
			Message: "The task " + quote(id) + " is " + quote(status) + " (" + frame(c.N) + "). It was " + quote(end.status) + " before (" + frame(end.n) + "), which is final.",
			Frames:  []uint64{c.N, end.n},
			Side:    sender(c),
		})
	},
}

// taskEnd is how a task ended.
type taskEnd struct {
	n      uint64
	t      int64
	status string
}

const maxTasks = 4096
