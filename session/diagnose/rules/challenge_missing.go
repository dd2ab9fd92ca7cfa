package rules

import "midwire/session/diagnose"

var challengeMissing = rule("challenge-missing", diagnose.Refusals, func(c *diagnose.Case) {
	if !aboutSession(c) {
		deviates(c)
	}
})
