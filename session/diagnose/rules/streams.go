package rules

import (
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/diagnose/sdkwords"
	"midwire/session/mcp"
	"midwire/session/wire"
)

var streamLoop = rule("stream-loop", diagnose.SSE|diagnose.StreamEnds, func(c *diagnose.Case) {
	x := c.Exchange
	if c.Session == nil || isSSE(c) {
		return
	}
	s := diagnose.State[getStreams](c)
	if c.Kind == sseKind {
		if ms, err := strconv.ParseInt(c.SSE.Retry, 10, 32); err == nil {
			s.pause = ms * 1e6
		}
		if _, ok := wire.ScanMessage(c.SSE.Data); ok {
			s.message = x.X
		}
		return
	}
	if x.Verb != "GET" || !isMCP(c) || x.Status == 0 || x.Status == 401 || x.Status == 404 {
		return
	}
	id, in := x.Header(mcp.HeaderLastEventID), c.Session.Index
	what := hashOf(x.Path, id)
	if id == "" && s.message == x.X {
		c.Progress(in, what) // something came
		return
	}
	again := c.Again(in, what, uint64(x.Status)<<1)
	asked := s.pause > 0 && again.Every() >= s.pause-max(s.pause/10, 20e6)
	if again.Count < 5 || again.Every() > 5e9 || asked {
		return
	}
	reportStreamLoop(c, again, id)
})

type getStreams struct {
	pause   int64  // nanoseconds, as the server asked for at last
	message uint32 // the latest exchange with a message; what else comes keeps a stream alive
}

func reportStreamLoop(c *diagnose.Case, s *diagnose.Streak, id string) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append(headFrames(x), s.Frames...)}
	f.Message = c.Client() + " opened the GET stream (" + frame(x.RequestN) + ") " + often(s)
	if id != "" {
		f.Message += ", each time with the Last-Event-ID " + quote(id)
	}
	switch {
	case x.Status == 405:
		f.Side = diagnose.Client
		f.Message += ". The server refused it with HTTP 405 each time: it has no such stream, which it may."
	case x.Status >= 400:
		f.Message += ". The server refused it with " + httpStatus(int(x.Status)) + " each time. Only 405 says that there is no such stream, and clients try again after anything else."
	case c.By == wire.ByClient:
		f.Side = diagnose.Client
		f.Message += ", and closed it itself each time."
	default:
		f.Message += ". Each time the stream ended without a new event."
	}
	c.ReportAs("", f)
}

var streamRefused = rule("stream-refused", diagnose.Refusals,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Verb != "GET" || c.Session == nil || c.Session.Transport != session.TransportHTTP ||
			c.Session.ID == "" {
			return
		}
		at := streamBefore(c)
		switch {
		case at == nil:
		case at.End == 0 && (x.Status == 409 || c.Refusal.Means(sdkwords.StreamExists)):
			secondStream(c)
		case at.End != 0 && x.RequestT > at.End &&
			(x.Status == 409 || x.Status == 400 && !blamesSession(c.Refusal) && !blamesMissingID(c.Refusal)):
			c.Say("", "The client's GET stream ("+frame(at.Request)+") had ended, and the server refused a new one ("+frame(x.RequestN)+") with "+number(x.Status)+": "+
				said(c.Refusal)+".",
				uint64(x.RequestN), uint64(x.ResponseN), uint64(at.Request))
		}
	})

// streamBefore is the latest GET stream of the session in hand that was served; nil for none.
func streamBefore(c *diagnose.Case) *session.Row {
	for _, r := range c.Latest(64) {
		if r.Kind == session.RowHTTP && int(r.Session) == c.Session.Index && r.X != c.Exchange.X && r.Status == 200 {
			return r
		}
	}
	return nil
}

// secondStream looks at a stream that was asked for while another is open. Servers may
// allow one of them only.
func secondStream(c *diagnose.Case) {
	x := c.Exchange
	f := diagnose.Finding{Severity: diagnose.Note, Side: diagnose.Client}
	f.Frames = []uint64{uint64(x.RequestN), uint64(x.ResponseN)}
	f.Message = c.Client() + " asked for a second GET stream (" + frame(x.RequestN) + ") while the first is open, and was refused with " + httpStatus(int(x.Status)) + because(c) + "."
	if row := oldest(c); row >= 0 {
		d, _ := c.Ledger.Of(int(row))
		f.Severity, f.Frames = diagnose.Warning, append(f.Frames, d.N)
		f.Message += " " + d.Method + " (" + frame(d.N) + ") waited for its response at that time."
	}
	advise(&f, "stream opened twice")
	c.ReportAs("second", f)
}

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

var clientLeft = rule("client-left",
	diagnose.OtherResponses|diagnose.Refusals|diagnose.StreamEnds|
		diagnose.Requests|diagnose.Notifications|diagnose.Finish,
	func(c *diagnose.Case) {
		if c.Session == nil || c.Session.Transport != session.TransportHTTP {
			return
		}
		last := diagnose.State[lastStream](c)
		x := c.Exchange
		switch {
		case c.N == 0:
			last.report(c)
		case x == nil:
		case c.Kind == messageKind && c.Refusal == nil:
			if c.Dir == wire.ToServer {
				last.n = 0
			}
			last.asked = last.asked || c.Call != nil && c.Call.Dir == wire.ToServer && !exempt[c.Call.Method]
		case c.Kind == responseKind:
			if x.IsStream && x.Verb == "GET" {
				last.n = 0 // it is open again
			}
			last.ended = last.ended || x.Verb == "DELETE"
		case x.Verb != "GET" || !isMCP(c):
		case c.Refusal != nil:
			*last = lastStream{n: uint64(x.RequestN), answer: c.N, t: c.T, asked: last.asked}
			last.status, last.id = int(x.Status), x.SessionID
		case c.Kind == endKind && x.IsStream &&
			(c.By == wire.ByServer && !c.Clean || c.By == wire.ByClient && x.Events == 0):
			*last = lastStream{n: uint64(x.RequestN), answer: c.N, t: c.T, asked: last.asked}
			last.lasted, last.events, last.own = c.T-x.ResponseT, x.Events, c.By == wire.ByClient
		}
	})

// lastStream is what came of the GET stream that the client asked for last, as long as
// it sent no message since.
type lastStream struct {
	n, answer uint64 // frames; 0 for none
	t         int64
	status    int // it was refused with
	id        string
	lasted    int64 // or it was cut
	events    int
	own       bool // by the client
	asked     bool // the client had asked for something in this session
	ended     bool // it ended the session by DELETE
}

func (s *lastStream) report(c *diagnose.Case) {
	in := initOf(c)
	if s.ended || in == nil || !in.OK || c.Blind() {
		return
	}
	if s.n == 0 || c.Until()-s.t < 200e6 {
		s.idle(c, in)
		return
	}
	f := diagnose.Finding{Frames: []uint64{s.answer, s.n}}
	switch {
	case s.own:
		if s.asked || s.lasted < 5e9 {
			return
		}
		f.Message = "No event came on the GET stream (" + frame(s.n) + ") in " + seconds(s.lasted) + ". Then " + c.Client() + " closed it (" + frame(s.answer) + "), and asked for nothing in this session."
		advise(&f, "silence taken for a dead connection")
	case s.lasted > 0: // by something in between, it seems: nobody says why
		if !c.AskedSince(s.answer) || c.ServedSince(s.answer) {
			return
		}
		f.Message = "The GET stream (" + frame(s.n) + ") was cut at the server's side after " + seconds(s.lasted)
		if s.events == 0 {
			f.Message += " without an event"
		}
		f.Message += " (" + frame(s.answer) + "). " + c.Client() + " did not open it again and sent no message any more; it only looked for a way to log in, which nothing had demanded."
		advise(&f, "cut stream taken for a lost login")
	case s.asked || s.status == 401 || s.status == 404 && s.id != "" || c.ServedSince(s.answer):
		return
	case s.status == 405 && severalSessions(c):
		return // another one may be what it is for
	case s.status == 405:
		f.Message = "The server refused the GET stream (" + frame(s.n) + ") with HTTP 405: it has none, which it may. After that " + c.Client() + " asked for nothing and went away."
		advise(&f, "refused stream taken for a failure")
	default:
		f.Severity, f.Side = diagnose.Warning, diagnose.Server
		f.Message = "The server refused the GET stream (" + frame(s.n) + ") with " + httpStatus(s.status) + ". After that " + c.Client() + " asked for nothing and went away. Only 405 says that there is no such stream."
		advise(&f, "stream refused with the wrong status")
	}
	c.ReportAs("", f)
}

// idle looks at a client that asks for nothing at all.
func (s *lastStream) idle(c *diagnose.Case, in *diagnose.Init) {
	waited := c.Until() - max(in.ResponseT, c.Facts.InitializedT)
	tools := wire.Get(in.ServerCaps, "tools") != nil
	if s.asked || !tools || waited < 10e9 || c.Facts.Initialized == 0 {
		return
	}
	if severalSessions(c) {
		return // another one may be what it is for
	}
	c.Say("idle", c.Client()+" completed the handshake ("+frame(c.Facts.Initialized)+"), and asked for nothing in the "+seconds(waited)+" until the recording ended, not even for the tools that the server declares.",
		c.Facts.Initialized, in.ResponseN)
}

type sessionCount int

func severalSessions(c *diagnose.Case) bool {
	return *diagnose.Standing(c, func(n *sessionCount) { *n = sessionCount(len(c.Sessions())) }) > 1
}
