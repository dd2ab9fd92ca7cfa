package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var taskTimesShort = &diagnose.Rule{
	ID:      "task-times-short",
	On:      diagnose.Results | diagnose.Notifications,
	Methods: []string{mcp.TasksGet, mcp.NotifyTasksStatus, mcp.NotifyTasks},
	Check: func(c *diagnose.Case) {
		f, ok := taskIn(c)
		if !ok || f.poll < 1 || f.poll > 60 || c.Dir != wire.ToClient || f.over() {
			return
		}
		msg := "The task " + quote(f.id) + " has the poll interval " + number(f.poll) + " (" + frame(f.n) + "). That is in milliseconds: the client is told to ask " + number(max(1, 1000/f.poll)) + " times a second."
		if f.ttl > 0 {
			msg += " Its ttl is " + number(f.ttl) + " ms."
		}
		c.Say("", msg+" The numbers look like seconds.")
	},
}
