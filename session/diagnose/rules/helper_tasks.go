package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type taskFacts struct {
	id, status string
	ttl, poll  int64 // milliseconds, -1 for none
	n          uint64
	t          int64
}

func taskIn(c *diagnose.Case) (f taskFacts, ok bool) {
	raw, task, id := c.Message.Result, c.Result("task"), c.Result("taskId")
	if c.Message.Kind == wire.MsgNotification {
		raw, task, id = c.Message.Params, c.Param("task"), c.Param("taskId")
	}
	if len(task) > 0 && task[0] == '{' {
		raw = task
	} else if id == nil {
		return f, false
	}
	f = taskFacts{id: text(wire.Get(raw, "taskId")), status: text(wire.Get(raw, "status")), n: c.N, t: c.T}
	f.ttl, f.poll = milliseconds(raw, "ttl"), milliseconds(raw, "pollInterval")
	return f, f.id != "" && f.status != ""
}

func milliseconds(task []byte, name string) int64 {
	for _, key := range [...]string{name, name + "Ms"} {
		if n, ok := wire.Int(wire.Get(task, key)); ok {
			return n
		}
	}
	return -1
}

// over says that a task does not change any more.
func (f *taskFacts) over() bool {
	return f.status == "completed" || f.status == "failed" || f.status == "cancelled"
}

// tasksSeen are the tasks of a session, as they were told last, and when they began.
type tasksSeen struct {
	tasks map[string]taskFacts
	born  map[string]int64
}

func (s *tasksSeen) learn(f taskFacts) {
	if _, known := s.tasks[f.id]; !known && len(s.tasks) >= maxTasks {
		return
	}
	if _, known := s.born[f.id]; !known {
		made(&s.born)[f.id] = f.t
	}
	made(&s.tasks)[f.id] = f
}

var taskMethods = []string{
	mcp.ToolsCall, mcp.SamplingCreateMessage, mcp.ElicitationCreate,
	mcp.TasksGet, mcp.TasksResult, mcp.TasksCancel, mcp.TasksUpdate, mcp.NotifyTasksStatus, mcp.NotifyTasks,
}
