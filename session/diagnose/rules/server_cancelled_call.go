package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var serverCancelledCall = &diagnose.Rule{
	ID:       "server-cancelled-call",
	Title:    "A server cancels a request of its client",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Era:      diagnose.Modern,
	Help: diagnose.Help{
		Means: "Only the sender of a request may cancel it. A server that cannot continue responds with an error. The only request that it may end itself is a subscription.",
		Wire:  "notifications/cancelled from the server with the id of a request other than subscriptions/listen.",
		Cause: "The server shares code with a client, or uses the notification to say that a call took too long.",
		Fix:   "In the server: respond to the request with an error instead of the notification.",
		Spec:  "2026-07-28 basic/patterns/cancellation: Cancellation Flow",
		Example: `> {"jsonrpc":"2.0","id":6,"method":"tools/call",…}
< {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6,"reason":"too slow"}}`,
	},
	On:      diagnose.Notifications,
	Methods: []string{mcp.NotifyCancelled},
	Check: func(c *diagnose.Case) {
		if c.Dir != wire.ToClient || c.Parent == nil || !c.Parent.Modern || c.Parent.Dir != wire.ToServer ||
			c.Parent.Method == mcp.Listen {
			return
		}
		if id := string(c.Param("requestId")); id == "" || !sameToken(id, c.Parent.ID) {
			return
		}
		c.ReportAs("", diagnose.Finding{
			Message: "The server cancelled the request " + quote(c.Parent.Method) + " (" + frame(c.Parent.N) + ") of its client (" + frame(c.N) + ").",
			Frames:  []uint64{c.N, c.Parent.N},
		})
	},
}
