package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayMetaChanged = rule("gateway-meta-changed", diagnose.Pairs, func(c *diagnose.Case) {
	o, i := c.Pair.Outer, c.Pair.Inner
	_, was := diagnose.Members(o.Meta)
	keys, now := diagnose.Members(i.Meta)
	for _, key := range keys {
		if strings.HasPrefix(key, mcp.MetaPrefix) || key == mcp.MetaProgressToken ||
			key == mcp.MetaTraceParent || key == mcp.MetaTraceState || key == mcp.MetaBaggage ||
			string(was[key]) == string(now[key]) {
			continue
		}
		what := "adds " + quote(key)
		if was[key] != nil {
			what = "changes " + quote(key)
		}
		c.Say(what, "The gateway "+what+" in _meta of "+callName(o)+": "+pairFrames(c)+".", o.N)
	}
})
