package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var subscriptionCut = &diagnose.Rule{
	ID:       "subscription-cut",
	Title:    "A server ends a subscription without a response",
	Severity: diagnose.Warning,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "A server that ends a subscription should respond to the listen request first. A stream that just ends looks broken: the client reconnects again and again.",
		Wire:  "The server ends the stream of subscriptions/listen cleanly, with neither a response to the request nor notifications/cancelled for it.",
		Cause: "A time limit of the web server, the platform or a gateway cuts long responses; or the server shuts down and closes its connections without ending the subscriptions.",
		Fix:   "In the server: on shutdown respond to every open listen request, then close. Against time limits send comment lines, and raise the limit for this path.",
		Spec:  "2026-07-28 basic/patterns/subscriptions: Ending a Subscription",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"subscriptions/listen",…}
< data: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",…}
  the server ends the stream`,
	},
	On: diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors | diagnose.Ends,
	Check: func(c *diagnose.Case) {
		if c.Call != nil && c.Call.Method != mcp.Listen {
			return
		}
		l := diagnose.Memory[listeners](c)
		if len(l.open) == 0 && c.Call == nil {
			return
		}
		s := l.follow(c)
		switch {
		case s == nil || c.N == s.n:
		case c.Call != nil: // it got its response
			l.drop(s)
		case c.Kind == session.EventEnd:
			if c.By == wire.ByServer && c.Clean && !s.ended && s.ack != 0 && !c.Blind() {
				c.ReportAs("", diagnose.Finding{
					Message: "The server ended the stream of the subscription " + s.id + " (" + frame(s.n) + ") without a response (" + frame(c.N) + ").",
					Frames:  []uint64{c.N, s.n},
				})
			}
			l.drop(s)
		case string(c.Message.Method) == mcp.NotifyAcknowledged:
			s.ack = c.N
		case string(c.Message.Method) == mcp.NotifyCancelled:
			s.ended = true
		}
	},
}
