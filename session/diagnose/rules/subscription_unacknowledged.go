package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var subscriptionUnacknowledged = &diagnose.Rule{
	ID:       "subscription-unacknowledged",
	Title:    "A subscription does not begin with its acknowledgement",
	Severity: diagnose.Error,
	Side:     diagnose.Server,
	Help: diagnose.Help{
		Means: "The first message of a subscription is the acknowledgement, which lists the granted notifications. Before it the client does not know from when on it gets changes, and may miss one.",
		Wire:  "Another message than notifications/subscriptions/acknowledged comes first in the stream of subscriptions/listen: a change, or the response.",
		Cause: "The server registers the subscription and sends changes at once, or sends the acknowledgement from another thread.",
		Fix:   "In the server: send notifications/subscriptions/acknowledged with the granted notifications and the subscription id before any other message. If nothing is granted, respond with an error.",
		Spec:  "2026-07-28 basic/patterns/subscriptions: Acknowledgement",
		Example: `> {"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},…}}
< data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`,
	},
	On:    diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors | diagnose.Settled,
	Check: checkAcknowledged,
}

func checkAcknowledged(c *diagnose.Case) {
	if c.Call != nil && c.Call.Method != mcp.Listen {
		return
	}
	l := diagnose.Memory[listeners](c)
	if len(l.open) == 0 && c.Call == nil {
		return
	}
	s := l.follow(c)
	if s == nil || c.N == s.n {
		return
	}
	if c.Call != nil { // it is over
		if c.Kind == session.EventMessage && c.Message.Kind == wire.MsgResult && s.ack == 0 && !s.told &&
			c.Facts.ServesModern && !c.Blind() {
			unacknowledged(c, s, "its response")
		}
		l.drop(s)
		return
	}
	switch method := string(c.Message.Method); {
	case c.Dir != wire.ToClient:
	case method == mcp.NotifyAcknowledged:
		s.ack = c.N
	case s.ack == 0 && !s.told && method != mcp.NotifyCancelled && !c.Blind():
		s.told = true
		unacknowledged(c, s, quote(method))
	}
}

func unacknowledged(c *diagnose.Case, s *listener, what string) {
	c.ReportAs("", diagnose.Finding{
		Message: "The first message of the subscription " + s.id + " (" + frame(s.n) + ") is " + what + " (" + frame(c.N) + "), instead of its acknowledgement.",
		Frames:  []uint64{c.N, s.n},
	})
}
