package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var gatewayMetaDropped = rule("gateway-meta-dropped", diagnose.Pairs, func(c *diagnose.Case) {
	o, i := c.Pair.Outer, c.Pair.Inner
	dropped(c, "the client sent", o.Meta, i.Meta)
	if !o.IsError && !i.IsError {
		dropped(c, "the server responded", wire.Get(i.Result, "_meta"), wire.Get(o.Result, "_meta"))
	}
})

func dropped(c *diagnose.Case, who string, was, now []byte) {
	keys, _ := diagnose.Members(was)
	_, left := diagnose.Members(now)
	lost := ""
	for _, key := range keys {
		// A gateway is a client of its own: tokens and the envelope of the era
		// it speaks are its own affair.
		if left[key] != nil || key == mcp.MetaProgressToken ||
			strings.HasPrefix(key, mcp.MetaPrefix) && c.Pair.Outer.Modern != c.Pair.Inner.Modern {
			continue
		}
		if lost != "" {
			lost += " and "
		}
		lost += quote(key)
	}
	if lost == "" {
		return
	}
	c.Say(who, "The gateway drops "+lost+" from the _meta that "+who+" with "+callName(c.Pair.Outer)+": "+pairFrames(c)+".",
		c.Pair.Outer.N)
}

// pairFrames says where the two recordings show a call.
func pairFrames(c *diagnose.Case) string {
	return frame(c.Pair.Outer.N) + " of " + c.Flow.Outer.Name + " is " + frame(c.Pair.Inner.N) + " of " + c.Flow.Inner.Name
}
