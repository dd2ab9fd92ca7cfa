package rules

import "midwire/session/diagnose"

var gatewayIDChanged = &diagnose.Rule{
	ID:       "gateway-id-changed",
	Title:    "The gateway numbers the requests anew",
	Severity: diagnose.Note,
	Fault:    diagnose.Gateway,
	Lint:     "gateway",
	Help: diagnose.Help{
		Means: "Requests carry other ids behind the gateway than before it. A gateway may do that, being a client of its own; logs of both sides then do not match by id.",
		Wire:  `The same call with one id in front of the gateway and another behind it.`,
		Cause: "The gateway is built on a client of an SDK, which counts for itself.",
		Fix:   "Nothing must be done. Send a traceparent in _meta to match the logs of both sides.",
		Spec:  "2025-11-25 basic/index: Requests",
		Example: `in front  > {"id":17,"method":"tools/call",…}
behind    > {"id":3,"method":"tools/call",…}`,
	},
	On: diagnose.Pairs,
	Check: func(c *diagnose.Case) {
		if o, i := c.Pair.Outer, c.Pair.Inner; o.ID != i.ID {
			c.ReportAs("", diagnose.Finding{
				Message: "The request " + o.ID + " (" + frame(o.N) + ") has the id " + i.ID + " behind the gateway (" + frame(i.N) + " of " + c.Flow.Inner.Recording + ").",
			})
		}
	},
}
