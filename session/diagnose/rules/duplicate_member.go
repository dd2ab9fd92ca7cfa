package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var duplicateMember = &diagnose.Rule{
	ID:       "duplicate-member",
	Title:    "An object in a message has a member twice",
	Severity: diagnose.Note,
	Side:     diagnose.Server,
	On:       diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors,
	Check: func(c *diagnose.Case) {
		if name, ok := wire.Duplicate(c.Message.Raw); ok {
			blameSender(c, "", "sent a message ("+frame(c.N)+") in which an object has the member "+quote(name)+" twice.")
		}
	},
}
