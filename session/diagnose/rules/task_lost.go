package rules

import (
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
)

var taskLost = &diagnose.Rule{
	ID: "task-lost", On: diagnose.Results | diagnose.Errors | diagnose.Notifications, Methods: taskMethods,
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient {
			return
		}
		s := diagnose.State[tasksSeen](c)
		if c.Message.Kind != wire.MsgError {
			if f, ok := taskIn(c); ok {
				s.learn(f)
			}
			return
		}
		if c.Call == nil {
			return
		}
		f, known := s.tasks[text(wire.Get(c.Call.Params, "taskId"))]
		said := diagnose.Refusal{Text: errorText(c), Code: errorCode(c)}
		if !known || f.over() || !said.Means(sdkwords.TaskUnknown) && !said.Says("not found", "unknown task", "expired", "no such task", "does not exist") {
			return
		}
		age := c.T - s.born[f.id]
		msg := c.Server() + " said " + quote(said.Text) + " of the task " + quote(f.id) + " (" + frame(c.N) + "). It was " + quote(f.status) + " before (" + frame(f.n) + ") and had not ended."
		switch {
		case f.ttl >= 0 && age >= f.ttl*1e6:
			msg += " Its ttl of " + number(f.ttl) + " ms was over: the task was deleted while it still worked."
		case f.ttl >= 0:
			msg += " Its ttl of " + number(f.ttl) + " ms was not over: it is " + seconds(age) + " old."
		}
		c.Say(f.id, msg, c.N, c.Call.N, f.n)
	},
}
