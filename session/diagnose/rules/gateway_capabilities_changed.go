package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var gatewayCapabilitiesChanged = rule("gateway-capabilities-changed", diagnose.Flows, func(c *diagnose.Case) {
	outer, inner := c.Flow.Handshake(c.Flow.Outer), c.Flow.Handshake(c.Flow.Inner)
	if outer == nil || inner == nil {
		return
	}
	declared, _ := diagnose.Members(wire.Get(inner.Result, "capabilities"))
	_, passed := diagnose.Members(wire.Get(outer.Result, "capabilities"))
	for _, key := range declared {
		if passed[key] == nil && key != "experimental" && key != "extensions" {
			c.At(outer)
			c.Say(key, c.Server()+" declares "+quote(key)+" ("+frame(inner.ResponseN)+" of "+c.Flow.Inner.Name+"), and the gateway does not ("+
				frame(outer.ResponseN)+" of "+c.Flow.Outer.Name+").",
				outer.ResponseN)
		}
	}
})
