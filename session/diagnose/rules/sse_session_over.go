package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/wire"
)

var sseSessionOver = rule("sse-session-over", diagnose.Refusals|diagnose.SSE|diagnose.StreamEnds|diagnose.Finish,
	func(c *diagnose.Case) {
		x := c.Exchange
		if c.N != 0 && (x == nil || c.Session == nil || c.Session.Transport != session.TransportSSE) {
			return
		}
		s := diagnose.State[sseStream](c)
		switch {
		case c.N == 0:
			s.report(c)
		case c.Refusal != nil:
			s.refused(c)
		case x.Verb == "GET" && c.Kind == sseKind:
			s.n, s.ended = uint64(x.ResponseN), 0
		case x.Verb == "GET" && x.IsStream && c.Kind == endKind:
			s.ended, s.by, s.t = c.N, c.By, c.T
			s.cutOff(c)
		}
	})

type sseStream struct {
	n, ended uint64 // frames of its beginning and its end; 0 for not seen
	by       string // who ended it
	t        int64  // and when
	told     bool   // what came of that
}

func (s *sseStream) refused(c *diagnose.Case) {
	x := c.Exchange
	gone := x.Status == 404 || x.Status == 410 || blamesSession(c.Refusal) || c.Refusal.Means(sdkwords.StreamGone)
	if x.Verb != "POST" || x.Messages == 0 || s.n == 0 || c.Facts.LastOK == 0 || s.ended == 0 && !gone ||
		!gone && x.Status != 400 && x.Status != 500 {
		return
	}
	f := diagnose.Finding{
		Message: target(x) + " (" + frame(x.RequestN) + ") was refused with " + httpStatus(int(x.Status)) + because(c),
		Frames:  []uint64{uint64(x.RequestN), c.N},
	}
	switch {
	case s.ended == 0:
		f.Side = diagnose.Server
		f.Message += ". The stream of the session (" + frame(s.n) + ") is open, and the session had worked."
		advise(&f, "message at another process")
		f.Frames = append(f.Frames, s.n)
	default:
		who := map[string]string{wire.ByClient: "the client", wire.ByServer: "the server", wire.ByUs: "midwire"}[s.by]
		f.Message += ". The stream of the session had been ended by " + who + " (" + frame(s.ended) + ")."
		f.Frames = append(f.Frames, s.ended)
	}
	s.told = true
	c.ReportAs("", f)
}

// report is about a stream that the server ended, and that the client did without.
func (s *sseStream) report(c *diagnose.Case) {
	if s.told || s.n == 0 || s.ended == 0 || s.by != wire.ByServer || c.Session.Pending > 0 ||
		c.Facts.LastOK == 0 || c.Until()-s.t < 5e9 {
		return
	}
	c.ReportAs("left", diagnose.Finding{
		Severity: diagnose.Note,
		Message: "The stream of the session (" + frame(s.n) + ") was ended by the server's side (" + frame(s.ended) + "), and in " + seconds(c.Until()-s.t) +
			" the client opened no other: the session is over, and nothing more can come of it.",
		Frames: []uint64{s.ended, s.n},
	})
}

// cutOff looks at requests that wait for their response on a stream that ends.
func (s *sseStream) cutOff(c *diagnose.Case) {
	row := oldest(c)
	if s.n == 0 || c.By != wire.ByServer || row < 0 {
		return
	}
	d, _ := c.Ledger.Of(int(row))
	f := diagnose.Finding{Side: diagnose.Server, Frames: []uint64{d.N, c.N, s.n}}
	if between(c.Exchange) != "" {
		f.Side = diagnose.Gateway
	}
	how := "ended"
	if !c.Clean {
		how = "cut"
	}
	f.Message = "The stream of the session (" + frame(s.n) + ") was " + how + " by the server's side (" + frame(c.N) + "), " + seconds(c.T-c.Exchange.RequestT) +
		" after it began, while " + d.Method + " (" + frame(d.N) + ") waited for its response: it is lost, and the session with it."
	advise(&f, "stream of the session is over")
	c.ReportAs("cut off", f)
}
