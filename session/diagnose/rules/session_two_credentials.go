package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var sessionTwoCredentials = rule("session-two-credentials", diagnose.HTTPRequests|diagnose.Results|diagnose.Refusals,
	func(c *diagnose.Case) {
		if c.Kind != requestKind {
			anotherCredential(c)
			return
		}
		x := c.Exchange
		if c.Session == nil || c.Session.ID == "" || x.SessionID != c.Session.ID {
			return
		}
		who := x.Header("Authorization")
		if who == "" {
			return
		}
		s := diagnose.State[credentials](c)
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
	})

// credentials are those with which a session id was used.
type credentials struct {
	last, before string
	frames       []uint64
	back         int
	works        string // the latest with which a request got its result
	worked       uint64 // frame of that result
}

// anotherCredential reports that the id is refused with another credential than the
// one with which it works.
func anotherCredential(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || c.Session == nil || c.Session.ID == "" || x.SessionID != c.Session.ID {
		return
	}
	s, who := diagnose.State[credentials](c), x.Header("Authorization")
	if c.Refusal == nil {
		if c.Call != nil && c.Call.Dir == wire.ToServer {
			s.works, s.worked = who, c.N
		}
		return
	}
	if s.worked == 0 || who == s.works || c.Refusal.Says("scope", "token") ||
		x.Status != 403 && x.Status != 404 && (x.Status != 400 || !blamesSession(c.Refusal)) {
		return
	}
	how := "another"
	if who == "" {
		how = "none"
	}
	c.ReportAs("refused "+how, withAdvice("session of one credential", diagnose.Finding{
		Severity: diagnose.Error,
		Side:     diagnose.Client,
		Message: "Session " + quote(c.Session.ID) + " worked with one credential (" + frame(s.worked) + "), and " + target(x) + " (" + frame(x.RequestN) + ") with " + how +
			" was refused with " + httpStatus(int(x.Status)) + because(c) + ".",
		Frames: []uint64{uint64(x.RequestN), c.N, s.worked},
	}))
}
