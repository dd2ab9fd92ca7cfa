package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var gatewayIDChanged = &diagnose.Rule{
	ID:       "gateway-id-changed",
	Title:    "The gateway changes the JSON type of a request's id",
	Brief:    "gateway changes an id",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	On:       diagnose.Pairs,
	Check: func(c *diagnose.Case) {
		if o, i := c.Pair.Outer, c.Pair.Inner; strings.Trim(o.ID, `"`) == strings.Trim(i.ID, `"`) && o.ID != i.ID {
			c.Say("", "The request "+o.ID+" ("+frame(o.N)+") has the id "+i.ID+" behind the gateway ("+frame(i.N)+" of "+c.Flow.Inner.Name+").")
		}
	},
}
