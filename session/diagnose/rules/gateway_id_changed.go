package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var gatewayIDChanged = &diagnose.Rule{
	ID:       "gateway-id-changed",
	Title:    "The gateway turns a request's id into another type",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "A request whose id is a number in front of the gateway has a text for it behind, or the other way round. A gateway may number its requests again; one that means to pass them on has lost the type, and the response may not find its way back.",
		Wire:  `The same call with the id 17 in front of the gateway and "17" behind it.`,
		Cause: "The gateway keeps ids as texts, or as floating point numbers.",
		Fix:   "In the gateway: keep the id as it came, with its JSON type, and give it back in the response.",
		Spec:  "2025-11-25 basic/index: Requests",
		Example: `in front  > {"id":17,"method":"tools/call",…}
behind    > {"id":"17","method":"tools/call",…}`,
	},
	On: diagnose.Pairs,
	Check: func(c *diagnose.Case) {
		if o, i := c.Pair.Outer, c.Pair.Inner; strings.Trim(o.ID, `"`) == strings.Trim(i.ID, `"`) && o.ID != i.ID {
			c.ReportAs("", diagnose.Finding{
				Message: "The request " + o.ID + " (" + frame(o.N) + ") has the id " + i.ID + " behind the gateway (" + frame(i.N) + " of " + c.Flow.Inner.Name + ").",
			})
		}
	},
}
