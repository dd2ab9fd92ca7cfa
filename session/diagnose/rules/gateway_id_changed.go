package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var gatewayIDChanged = &diagnose.Rule{
	ID:       "gateway-id-changed",
	Title:    "The gateway changes the JSON type of a request's id",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The id of a request is a number in front of the gateway and a string behind it, or the reverse. A gateway may assign new ids. A gateway that passes ids on must keep the type, or the response cannot be matched to its request.",
		Wire:  `The same call with the id 17 in front of the gateway and "17" behind it.`,
		Cause: "The gateway stores ids as strings, or as floating point numbers.",
		Fix:   "In the gateway: keep the id with its JSON type, and return it in the response.",
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
