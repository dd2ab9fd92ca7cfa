package rules

import (
	"strconv"

	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var gatewaySessionShared = &diagnose.Rule{
	ID:       "gateway-session-shared",
	Title:    "The gateway merges several sessions into one session of the server",
	Severity: diagnose.Warning,
	Side:     diagnose.Gateway,
	Era:      diagnose.Handshake,
	Help: diagnose.Help{
		Means: "Clients with separate sessions share one session on the server's side. They overwrite each other's state that the server keeps per session, such as a working directory, an open page or a subscription.",
		Wire:  "Calls of two sessions in front of the gateway appear in one session behind it.",
		Cause: "The gateway opens one connection to the server and sends everything through it.",
		Fix:   "In the gateway: open one upstream session, or one server instance, for each downstream session, and end it together with that session. A server without state per session may be shared; in that case mute this rule.",
		Spec:  "2025-11-25 basic/transports: Session Management",
		Example: `in front  session A > tools/call cd {"path":"/a"}     session B > tools/call cd {"path":"/b"}
behind    session X > tools/call cd {"path":"/a"}     session X > tools/call cd {"path":"/b"}`,
	},
	On: diagnose.Flows,
	Check: func(c *diagnose.Case) {
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
			c.ReportAs(strconv.Itoa(p.Inner.Session), diagnose.Finding{
				Message: "Calls of different sessions (" + frame(one.N) + " and " + frame(p.Outer.N) + " of " + c.Flow.Outer.Name + ") reach the server in the same one (session " +
					strconv.Itoa(p.Inner.Session+1) + " of " + c.Flow.Inner.Name + ").",
				Frames: []uint64{p.Outer.N, one.N},
			})
		}
	},
}
