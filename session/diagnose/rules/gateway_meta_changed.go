package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayMetaChanged = &diagnose.Rule{
	ID:       "gateway-meta-changed",
	Title:    "The gateway adds members to _meta, or changes them",
	Severity: diagnose.Warning,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "The server sees a _meta that the client did not send. Where absence has a meaning, for example a conversation without an id, an added member is as wrong as a lost one.",
		Wire:  "Behind the gateway _meta has a member that it lacks in front of the gateway, or another value. Progress tokens and trace context do not count.",
		Cause: "The gateway fills in defaults, its own session id, or empty values for unknown members.",
		Fix:   "In the gateway: leave _meta unchanged. If you must add a member, use a key with a prefix of your own.",
		Spec:  "2025-11-25 basic/index: _meta",
		Example: `in front  > tools/call {"name":"remember"}
behind    > tools/call {"name":"remember","_meta":{"session_id":""}}`,
	},
	On: diagnose.Pairs,
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
			c.ReportAs(what, diagnose.Finding{
				Message: "The gateway " + what + " in _meta of " + callName(o) + ": " + pairFrames(c) + ".",
				Frames:  []uint64{o.N},
			})
		}
	},
}
