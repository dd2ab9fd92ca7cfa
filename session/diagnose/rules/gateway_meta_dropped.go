package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var gatewayMetaDropped = &diagnose.Rule{
	ID:       "gateway-meta-dropped",
	Title:    "The gateway drops members of _meta",
	Severity: diagnose.Error,
	Side:     diagnose.Gateway,
	Help: diagnose.Help{
		Means: "A member of _meta that the client sent does not reach the server, or one that the server sent does not reach the client. Conversations, traces and everything else that both sides keep in _meta are lost.",
		Wire:  "The recording in front of the gateway has the member; the recording behind it does not.",
		Cause: "The gateway decodes messages into types that have only the members it needs, and encodes them again.",
		Fix:   "In the gateway: pass params._meta and result._meta through unchanged in both directions, including unknown members.",
		Spec:  "2025-11-25 basic/index: _meta",
		Example: `in front  > tools/call {"name":"remember","_meta":{"session_id":"chat-7"}}
behind    > tools/call {"name":"remember"}`,
	},
	On:     diagnose.Pairs,
	Covers: []string{"meta-not-received"},
	Check: func(c *diagnose.Case) {
		o, i := c.Pair.Outer, c.Pair.Inner
		dropped(c, "the client sent", o.Meta, i.Meta)
		if !o.IsError && !i.IsError {
			dropped(c, "the server responded", wire.Get(i.Result, "_meta"), wire.Get(o.Result, "_meta"))
		}
	},
}

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
	c.ReportAs(who, diagnose.Finding{
		Message: "The gateway drops " + lost + " from the _meta that " + who + " with " + callName(c.Pair.Outer) + ": " + pairFrames(c) + ".",
		Frames:  []uint64{c.Pair.Outer.N},
	})
}

// pairFrames says where the two recordings show a call.
func pairFrames(c *diagnose.Case) string {
	return frame(c.Pair.Outer.N) + " of " + c.Flow.Outer.Name + " is " + frame(c.Pair.Inner.N) + " of " + c.Flow.Inner.Name
}
