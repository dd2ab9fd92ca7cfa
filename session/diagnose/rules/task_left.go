package rules

import (
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/words"
)

var taskLeft = rule("task-left", diagnose.Finish, func(c *diagnose.Case) {
	if c.Blind() {
		return
	}
	for _, d := range c.Ledger.Missing(c.Session.Index, c.T) {
		since := max(d.T, d.ToldT)
		if d.Kind != ledger.Task && d.Kind != ledger.TaskResult || c.T-since < 3e9 {
			continue
		}
		told := max(d.N, d.Told)
		msg := "The task " + quote(d.Name) + " is " + quote(d.Status) + " (" + frame(told) + "). "
		switch {
		case d.Kind == ledger.TaskResult:
			msg += c.Client() + " did not fetch its result with tasks/result"
		case d.Signs == 0:
			msg += c.Client() + " never asked what came of it"
		default:
			msg += c.Client() + " asked " + words.CountOf(d.Signs, "time", "times") + " and then stopped"
		}
		c.Say("", msg+", in the "+seconds(c.T-since)+" until the session ended.", told)
	}
})
