package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewaySessionShared = rule("gateway-session-shared", diagnose.Flows, func(c *diagnose.Case) {
	first := map[int]*diagnose.Passage{} // by inner session, the first pair's outer call
	for _, p := range c.Flow.Pairs {
		if p.Outer.Modern || p.Inner.Modern || p.Outer.Method != mcp.ToolsCall {
			continue
		}
		one := first[p.Inner.Session]
		if one == nil {
			first[p.Inner.Session] = p.Outer
			continue
		}
		if one.Session == p.Outer.Session || one.SessionID != "" && one.SessionID == p.Outer.SessionID {
			continue
		}
		c.At(p.Outer)
		c.Say(number(p.Inner.Session), "Calls of different sessions ("+frame(one.N)+" and "+frame(p.Outer.N)+" of "+c.Flow.Outer.Name+") reach the server in the same one (session "+
			number(p.Inner.Session+1)+" of "+c.Flow.Inner.Name+").",
			p.Outer.N, one.N)
	}
})
