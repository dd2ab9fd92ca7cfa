package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var duplicateMember = rule("duplicate-member", diagnose.Messages,
	func(c *diagnose.Case) {
		name, twice := "", false
		if o := diagnose.Shared[schemas](c).outlineOf(c); o != nil {
			name, twice = o.Twice, o.Dup
		} else {
			name, twice = wire.Duplicate(c.Message.Raw)
		}
		if twice {
			blameSender(c, "", "sent a message ("+frame(c.N)+") in which an object has the member "+quote(name)+" twice.")
		}
	})
