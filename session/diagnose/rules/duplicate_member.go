package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var duplicateMember = &diagnose.Rule{
	ID:       "duplicate-member",
	Title:    "An object in a message has a member twice",
	Brief:    "member twice in an object",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	On:       diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		name, twice := "", false
		if o := diagnose.Shared[schemas](c).outlineOf(c); o != nil {
			name, twice = o.Twice, o.Dup
		} else {
			name, twice = wire.Duplicate(c.Message.Raw)
		}
		if twice {
			blameSender(c, "", "sent a message ("+frame(c.N)+") in which an object has the member "+quote(name)+" twice.")
		}
	},
}
