package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var subscriptionCut = rule("subscription-cut", diagnose.Messages|diagnose.Ends,
	func(c *diagnose.Case) {
		l, s := listening(c)
		switch {
		case s == nil || c.N == s.n:
		case c.Call != nil: // it got its response
			l.drop(s)
		case c.Kind == session.EventEnd:
			if c.By == wire.ByServer && c.Clean && !s.ended && s.ack != 0 && !c.Blind() {
				c.Say("", c.Server()+" ended the stream of the subscription "+s.id+" ("+frame(s.n)+") without a response ("+frame(c.N)+").",
					c.N, s.n)
			}
			l.drop(s)
		case string(c.Message.Method) == mcp.NotifyAcknowledged:
			s.ack = c.N
		case string(c.Message.Method) == mcp.NotifyCancelled:
			s.ended = true
		}
	})
