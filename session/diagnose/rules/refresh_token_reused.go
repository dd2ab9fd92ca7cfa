package rules

import (
	"midwire/session/diagnose"
	"midwire/session/wire"
)

var refreshTokenReused = rule("refresh-token-reused", diagnose.OtherRequests|diagnose.OtherBodies|diagnose.Refusals,
	func(c *diagnose.Case) {
		l := loginOf(c)
		if c.Refusal == nil || c.Exchange == nil || c.Refusal.RPC ||
			wire.Text(wire.Get([]byte(c.Refusal.Text), "error")) != "invalid_grant" {
			return
		}
		s := l.stepOf(c.Exchange.X)
		if s == nil {
			return
		}
		old := l.sameRefresh(s)
		if old == nil || !old.clean && old.answered == 0 && old.t == s.t {
			return
		}
		f := diagnose.Finding{Frames: append(headFrames(c.Exchange), old.n)}
		f.Message = "The refresh token of " + target(c.Exchange) + " (" + frame(s.n) + ") is the one of an earlier request (" + frame(old.n) + ")"
		switch {
		case old.clean && old.answered < s.n:
			f.Frames = append(f.Frames, old.answered)
			f.Message += ", which had got new tokens (" + frame(old.answered) + ")"
		case old.clean:
			f.Frames = append(f.Frames, old.answered)
			f.Message += ", which was under way and got new tokens (" + frame(old.answered) + ")"
		default:
			f.Confidence = diagnose.Possible
		}
		f.Message += ". It was refused with “invalid_grant” (" + frame(c.N) + ")."
		c.ReportAs("", f)
	})
