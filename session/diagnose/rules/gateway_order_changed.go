package rules

import "midwire/session/diagnose"

var gatewayOrderChanged = rule("gateway-order-changed", diagnose.Pairs, func(c *diagnose.Case) {
	last := diagnose.State[diagnose.Pair](c)
	if last.Outer != nil && last.Inner.T > c.Pair.Inner.T && last.Inner.Session == c.Pair.Inner.Session {
		c.Say("", c.Client()+" sent "+callName(last.Outer)+" ("+frame(last.Outer.N)+") before "+callName(c.Pair.Outer)+" ("+
			frame(c.Pair.Outer.N)+"); the server got them in the opposite order ("+frame(last.Inner.N)+", "+frame(c.Pair.Inner.N)+" of "+c.Flow.Inner.Name+").",
			c.Pair.Outer.N, last.Outer.N)
	}
	*last = *c.Pair
})

// callName is method and target of a call.
func callName(p *diagnose.Passage) string {
	if p.Target == "" {
		return p.Method
	}
	return p.Method + " " + quote(p.Target)
}
