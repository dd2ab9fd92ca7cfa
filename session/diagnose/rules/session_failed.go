package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/words"
)

var sessionFailed = &diagnose.Rule{
	ID:         "session-failed",
	Title:      "The session failed, and nothing that midwire knows explains it",
	Severity:   diagnose.Error,
	Side:       diagnose.Unclear,
	Confidence: diagnose.Possible,
	On:         diagnose.Failures,
	Fallback:   true,
	Check: func(c *diagnose.Case) {
		how := c.Failure
		f := diagnose.Finding{Message: failedHow(how), Frames: []uint64{how.Frame}}
		for _, one := range how.Asked {
			f.About = append(f.About, c.Heads(one.Row.X)...)
			f.Frames = append(f.Frames, uint64(one.Row.Request))
			if one.Row.Response != 0 {
				f.Frames = append(f.Frames, uint64(one.Row.Response))
			}
		}
		f.Frames, f.About = distinct(f.Frames), append(f.About, how.Meanwhile...)
		switch {
		case how.LastOK == nil:
			f.Message += " Nothing was served before."
		default:
			f.Served = framesOf(how.LastOK.Row)
			f.Message += " The last request that was served is " + aboutAsked(how.LastOK) + "."
		}
		if how.How != diagnose.LastUnanswered && len(how.Pending) > 0 {
			f.Message += " " + aboutAsked(&how.Pending[0]) + more(how.Pending) + " had no response."
		}
		f.Message += differences(c)
		c.ReportAs("", f)
	},
}

// framesOf are the frames of a call, and over HTTP those before them: the heads,
// where nothing came between.
func framesOf(r *session.Row) []uint64 {
	frames := []uint64{uint64(r.Request), uint64(r.Response)}
	if r.Conn != 0 {
		frames = append(frames, uint64(r.Request-1), uint64(r.Response-1))
	}
	return frames
}

// failedHow says in a sentence how a session failed.
func failedHow(f *diagnose.Failure) string {
	what := ""
	if len(f.Asked) > 0 {
		what = aboutAsked(&f.Asked[0]) + more(f.Asked)
	}
	switch f.How {
	case diagnose.HandshakeFailed:
		return "The handshake failed: " + what + " " + endedHow(f) + "."
	case diagnose.ProcessDied:
		s := "The process of the server ended with code " + number(int64(f.Code)) + " (" + frame(f.Frame) + ")"
		if what != "" {
			s += " while " + what + " waited for a response"
		}
		return s + "."
	case diagnose.SessionDead:
		return "The server no longer knew the session at " + what + ", and the client began no new one."
	case diagnose.LastRefused:
		return "The last requests were refused: " + what + " " + endedHow(f) + "."
	case diagnose.NothingServed:
		return "Every request of its method was refused: " + what + " " + endedHow(f) + "."
	}
	return what + " had no response when the session ended."
}

func aboutAsked(one *diagnose.Asked) string { return one.Method + " (" + frame(one.Row.Request) + ")" }

func more(list []diagnose.Asked) string {
	if len(list) < 2 {
		return ""
	}
	return " and " + words.Count(len(list)-1, "more request")
}

func endedHow(f *diagnose.Failure) string {
	switch {
	case f.Asked[0].End != diagnose.Refused:
		return "had no response"
	case f.Code != 0 && f.Status != 0:
		return "was refused with " + httpStatus(f.Status) + " and the error " + number(int64(f.Code))
	case f.Code != 0:
		return "was refused with the error " + number(int64(f.Code))
	case f.Status != 0:
		return "was refused with " + httpStatus(f.Status)
	}
	return "was refused"
}

func distinct(frames []uint64) []uint64 {
	var out []uint64
	seen := map[uint64]bool{}
	for _, n := range frames {
		if !seen[n] && n != 0 {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}

// differences says how another session of the same client or server that was
// served differs, "" when there is none.
func differences(_ *diagnose.Case) string { return "" }
