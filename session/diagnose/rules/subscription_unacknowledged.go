package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var subscriptionUnacknowledged = rule("subscription-unacknowledged", diagnose.Messages|diagnose.Settled,
	checkAcknowledged)

func checkAcknowledged(c *diagnose.Case) {
	l, s := listening(c)
	if s == nil || c.N == s.n {
		return
	}
	if c.Call != nil { // it is over
		if c.Kind == session.EventSettled && s.ack == 0 && !s.told && !c.Blind() && !overStdio(c) {
			nothingCame(c, s)
		}
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

// nothingCame looks at a subscription over HTTP that the client gave up.
func nothingCame(c *diagnose.Case, s *listener) {
	waited := c.T - c.Call.T
	if waited < 3e9 || rowOf(c).Status != 0 {
		return
	}
	c.ReportAs("nothing", diagnose.Finding{
		Confidence: diagnose.Likely,
		Message:    c.Client() + " sent subscriptions/listen (" + frame(s.n) + ") and closed the connection after " + seconds(waited) + ": not even the head of a response had come, and no acknowledgement.",
		Cause:      "A gateway or a handler collects the whole response before it sends anything. The stream of a subscription has no end, so nothing ever comes.",
		Remedies:   either("pass on an event stream as it comes, head and acknowledgement at once, without buffering. A server that has no changes to tell should not offer listChanged.", diagnose.Gateway, diagnose.Server),
		Frames:     []uint64{c.N, s.n},
	})
}
