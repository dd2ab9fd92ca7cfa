package rules

import (
	"midwire/session/diagnose"
	"midwire/session/mcp"
)

var sessionTwoCredentials = &diagnose.Rule{
	ID:         "session-two-credentials",
	Title:      "One session id is used with two credentials in turns",
	Severity:   diagnose.Warning,
	Side:       diagnose.Gateway,
	Confidence: diagnose.Likely,
	Era:        diagnose.Handshake,
	From:       mcp.V20250326,
	On:         diagnose.HTTPRequests,
	Check: func(c *diagnose.Case) {
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || x.SessionID != c.Session.ID {
			return
		}
		who := x.Header("Authorization")
		if who == "" {
			return
		}
		s := diagnose.State[struct {
			last, before string
			frames       []uint64
			back         int
		}](c)
		if who == s.last {
			return
		}
		if who == s.before {
			s.back++
		}
		s.before, s.last = s.last, who
		if len(s.frames) < diagnose.MaxFrames {
			s.frames = append(s.frames, uint64(x.RequestN))
		}
		if s.back >= 3 {
			c.Say("", "Session "+quote(c.Session.ID)+" is used with two different Authorization headers in turns.",
				s.frames...)
		}
	},
}
