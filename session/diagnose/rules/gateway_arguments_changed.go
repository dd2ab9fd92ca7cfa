package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayArgumentsChanged = rule("gateway-arguments-changed", diagnose.Pairs, func(c *diagnose.Case) {
	o, i := c.Pair.Outer, c.Pair.Inner
	if o.Method != mcp.ToolsCall || len(o.Args) >= diagnose.MaxPassage || len(i.Args) >= diagnose.MaxPassage {
		return
	}
	before, was := diagnose.Members(o.Args)
	after, now := diagnose.Members(i.Args)
	for _, key := range before {
		if now[key] == nil {
			changedArgument(c, "drops", key)
		} else if string(now[key]) != string(was[key]) {
			changedArgument(c, "changes", key)
		}
	}
	for _, key := range after {
		if was[key] == nil {
			changedArgument(c, "adds", key)
		}
	}
})

func changedArgument(c *diagnose.Case, what, key string) {
	c.Say(what+c.Pair.Outer.Target+key, "The gateway "+what+" the argument "+quote(key)+" of "+quote(c.Pair.Outer.Target)+": "+pairFrames(c)+".",
		c.Pair.Outer.N)
}
