package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var gatewayCapabilitiesChanged = &diagnose.Rule{
	ID:       "gateway-capabilities-changed",
	Title:    "The gateway does not pass on a capability of the server",
	Severity: diagnose.Note,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The server declares a capability that clients behind the gateway never see, so they never use it.",
		Wire:  "The capabilities in the response to initialize differ in front of and behind the gateway.",
		Cause: "The gateway responds to initialize itself and declares only what it can relay, often only tools.",
		Fix:   "In the gateway: relay what the servers behind it declare, or document what it leaves out.",
		Spec:  "2025-11-25 basic/lifecycle: Capability Negotiation",
		Example: `behind    < {"capabilities":{"tools":{},"resources":{},"prompts":{}}}
in front  < {"capabilities":{"tools":{}}}`,
	},
	On: diagnose.Flows,
	Check: func(c *diagnose.Case) {
		outer, inner := c.Flow.Handshake(c.Flow.Outer), c.Flow.Handshake(c.Flow.Inner)
		if outer == nil || inner == nil {
			return
		}
		declared, _ := diagnose.Members(wire.Get(inner.Result, "capabilities"))
		_, passed := diagnose.Members(wire.Get(outer.Result, "capabilities"))
		for _, key := range declared {
			if passed[key] == nil && key != "experimental" && key != "extensions" {
				c.At(outer)
				c.ReportAs(key, diagnose.Finding{
					Message: "The server declares " + quote(key) + " (" + frame(inner.ResponseN) + " of " + c.Flow.Inner.Name + "), and the gateway does not (" +
						frame(outer.ResponseN) + " of " + c.Flow.Outer.Name + ").",
					Frames: []uint64{outer.ResponseN},
				})
			}
		}
	},
}
