package rules

import "midwire/session/diagnose"

var headerMismatchAccepted = rule("header-mismatch-accepted", diagnose.ModernResults, func(c *diagnose.Case) {
	if !modernResponse(c) || c.Exchange == nil || !c.Exchange.Contradicts || c.Exchange.Status >= 300 ||
		c.Exchange.X != c.Call.X {
		return
	}
	what := ""
	mirrors(c.Call, func(w wanted) {
		if what == "" && c.Exchange.Header(w.name) == "" {
			what = "lacks the header " + w.name
		}
	})
	if name, has, want := disagreement(c.Exchange.Header, c.Call); what == "" && name != "" {
		what = "says " + quote(has) + " in the header " + name + " and " + quote(want) + " in its body"
	}
	if what == "" {
		return
	}
	c.Say("", "The request "+frame(c.Call.N)+" "+what+", and the server executed it ("+frame(c.N)+").", c.N, c.Call.N)
})
