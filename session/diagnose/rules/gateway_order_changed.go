package rules

import "midwire/session/diagnose"

var gatewayOrderChanged = &diagnose.Rule{
	ID:       "gateway-order-changed",
	Title:    "The gateway changes the order of calls",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "Two calls that the client sent one after the other reach the server in the opposite order. This is allowed for calls that overlap, and breaks servers that depend on the order.",
		Wire:  "Two calls of one session have one order in front of the gateway and another order behind it.",
		Cause: "The gateway handles each message in a task of its own.",
		Fix:   "In the gateway: keep the messages of one session in order.",
		Spec:  "JSON-RPC 2.0, 6; the specification leaves the order open",
		Example: `in front  > write (#10)  > read (#11)
behind    > read (#7)    > write (#8)`,
	},
	On: diagnose.Pairs,
	Check: func(c *diagnose.Case) {
		last := diagnose.State[diagnose.Pair](c)
		if last.Outer != nil && last.Inner.T > c.Pair.Inner.T && last.Inner.Session == c.Pair.Inner.Session {
			c.ReportAs("", diagnose.Finding{
				Message: "The client sent " + callName(last.Outer) + " (" + frame(last.Outer.N) + ") before " + callName(c.Pair.Outer) + " (" +
					frame(c.Pair.Outer.N) + "); the server got them in the opposite order (" + frame(last.Inner.N) + ", " + frame(c.Pair.Inner.N) + " of " + c.Flow.Inner.Name + ").",
				Frames: []uint64{c.Pair.Outer.N, last.Outer.N},
			})
		}
		*last = *c.Pair
	},
}

// callName is method and target of a call.
func callName(p *diagnose.Passage) string {
	if p.Target == "" {
		return p.Method
	}
	return p.Method + " " + quote(p.Target)
}
