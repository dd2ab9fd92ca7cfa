package rules

import (
	"strings"

	"midwire/session/diagnose"
)

var gatewayIDChanged = rule("gateway-id-changed", diagnose.Pairs, func(c *diagnose.Case) {
	if o, i := c.Pair.Outer, c.Pair.Inner; strings.Trim(o.ID, `"`) == strings.Trim(i.ID, `"`) && o.ID != i.ID {
		c.Say("", "The request "+o.ID+" ("+frame(o.N)+") has the id "+i.ID+" behind the gateway ("+frame(i.N)+" of "+c.Flow.Inner.Name+").")
	}
})
