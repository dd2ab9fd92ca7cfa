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
	On:       diagnose.Requests | diagnose.Notifications | diagnose.Results | diagnose.Errors | diagnose.Settled,
	Check:    checkAcknowledged,
}

func checkAcknowledged(c *diagnose.Case) {
	l, s := listening(c)
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
	c.Say("", "The first message of the subscription "+s.id+" ("+frame(s.n)+") is "+what+" ("+frame(c.N)+"), instead of its acknowledgement.",
		c.N, s.n)
}
