package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewayMetaChanged = &diagnose.Rule{
	ID:       "gateway-meta-changed",
	Title:    "The gateway adds to _meta, or changes it",
	Severity: diagnose.Warning,
	Fault:    diagnose.Gateway,
	Lint:     "gateway",
	Help: diagnose.Help{
		Means: "The server sees a _meta that the client did not send. Where absence means something, as with a conversation that has no id yet, an added member is as wrong as a lost one.",
		Wire:  `The recording behind the gateway shows a member of _meta that the one in front of it lacks, or with another value. Progress tokens and trace context are not counted.`,
		Cause: "The gateway fills in defaults, its own session id, or empty values for what it does not know.",
		Fix:   "In the gateway: leave _meta as it came; where something must be added, use a key with a prefix of your own.",
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
