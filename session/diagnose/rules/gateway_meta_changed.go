package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayMetaChanged = &diagnose.Rule{
	ID:       "gateway-meta-changed",
	Title:    "The gateway adds members to _meta, or changes them",
	Brief:    "gateway changes _meta",
	Severity: diagnose.Warning,
	Side:     diagnose.Gateway,
	On:       diagnose.Pairs,
	Check: func(c *diagnose.Case) {
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
	},
}
