package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var taskLeft = rule("task-left", diagnose.Results|diagnose.Notifications|diagnose.Finish, func(c *diagnose.Case) {
	s := diagnose.State[tasksAsked](c)
	switch {
	case c.N == 0:
		s.report(c)
	case c.Dir == wire.ToClient:
		if f, ok := taskIn(c); ok {
			s.learn(f)
		}
		if c.Call != nil {
			s.ask(c)
		}
	}
})

// tasksAsked are the tasks of a session, and which of them the client asked about.
type tasksAsked struct {
	tasksSeen
	asked map[string]int
}

func (s *tasksAsked) ask(c *diagnose.Case) {
	switch c.Call.Method {
	case mcp.TasksCancel, mcp.TasksResult:
		delete(s.tasks, text(wire.Get(c.Call.Params, "taskId")))
	case mcp.TasksGet:
		if id := text(c.Result("taskId")); len(s.asked) < maxTasks {
			made(&s.asked)[id]++
		}
	}
}

func (s *tasksAsked) report(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	for _, id := range sortedKeys(s.tasks) {
		f := s.tasks[id]
		// The result is in tasks/get from 2026-07-28 on, and nobody need fetch what failed.
		if f.over() && (c.Session.Modern || f.status != "completed") || c.T-f.t < 3e9 {
			continue
		}
		msg := "The task " + quote(id) + " is " + quote(f.status) + " (" + frame(f.n) + "). "
		switch n := s.asked[id]; {
		case f.over():
			msg += c.Client() + " did not fetch its result with tasks/result"
		case n == 0:
			msg += c.Client() + " never asked what came of it"
		default:
			msg += c.Client() + " asked " + words.CountOf(n, "time", "times") + " and then stopped"
		}
		c.Say("", msg+", in the "+seconds(c.T-f.t)+" until the session ended.", f.n)
	}
}
