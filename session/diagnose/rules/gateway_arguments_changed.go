package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayArgumentsChanged = &diagnose.Rule{
	ID:       "gateway-arguments-changed",
	Title:    "The gateway changes the arguments of a call",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The server gets other arguments than the client sent. The tool does something else than requested.",
		Wire:  "The same call in front of and behind the gateway, with arguments that differ in a member or a value.",
		Cause: "The gateway converts numbers to floating point, drops members that its copy of the schema does not have, fills in defaults, or writes null for absent members.",
		Fix:   "In the gateway: pass params.arguments through unchanged, without decoding it.",
		Spec:  "2025-11-25 server/tools: Calling Tools",
		Example: `in front  > tools/call {"name":"get","arguments":{"id":9007199254740993}}
behind    > tools/call {"name":"get","arguments":{"id":9007199254740992}}`,
	},
	On: diagnose.Pairs,
	Check: func(c *diagnose.Case) {
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
	},
}

func changedArgument(c *diagnose.Case, what, key string) {
	c.ReportAs(what+c.Pair.Outer.Target+key, diagnose.Finding{
		Message: "The gateway " + what + " the argument " + quote(key) + " of " + quote(c.Pair.Outer.Target) + ": " + pairFrames(c) + ".",
		Frames:  []uint64{c.Pair.Outer.N},
	})
}
