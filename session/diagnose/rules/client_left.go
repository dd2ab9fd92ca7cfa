package rules

import (
	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/wire"
)

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
