package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

var streamsConformance = []formal{
	{
		id: "stream-buffered", on: diagnose.Results,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x == nil || !x.IsStream || c.Call == nil || c.Call.X != x.X || c.Call.Progress < 3 || c.Row < 0 {
				return
			}
			row := c.Tracker().Row(int(c.Row))
			silent, burst := x.FirstEventT-x.RequestT, c.T-x.FirstEventT
			if row.Ending != session.Served || c.Call.Dir != wire.ToServer || silent < 2e9 || burst > 20e6 {
				return
			}
			c.Say("", number(c.Call.Progress)+" progress notifications and the response to "+c.Call.Method+" arrived within "+
				number(burst/1e6)+" ms, after "+number(silent/1e9)+" seconds of silence.", c.Call.N, c.N)
		},
	},
	{
		id: "stream-headers", on: diagnose.HTTPResponses,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if !x.IsStream || x.Status != 200 || c.Session == nil && x.Verb != "GET" {
				return
			}
			if !bytes.Contains(x.ResponseHead, []byte("ent-Encoding:")) && !bytes.Contains(x.ResponseHead, []byte("ent-encoding:")) &&
				bytes.Contains(x.ResponseHead, []byte("no-cache")) {
				return // the usual ones: the rule runs for every stream
			}
			coding := x.ResponseHeader("Content-Encoding")
			if coding != "" && !strings.EqualFold(coding, "identity") {
				c.Say(coding, "The stream of "+target(x)+" ("+frame(x.ResponseN)+") is compressed with "+quote(coding)+".",
					headFrames(x)...)
			}
			if cache := wire.HeadValues(x.ResponseHead, "Cache-Control"); !hasWord(cache, "no-cache", "no-store") {
				c.Say("cache", "The stream of "+target(x)+" ("+frame(x.ResponseN)+") has no Cache-Control: no-cache.", headFrames(x)...)
			}
		},
	},
	{
		id: "stream-after-response", on: diagnose.SSE | diagnose.StreamEnds,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Verb != "POST" || x.Calls != 1 || !x.IsStream || isSSE(c) || c.Session == nil {
				return
			}
			r := rowOf(c)
			if r == nil || r.Kind != session.RowCall || r.Response == 0 || r.End == 0 {
				return
			}
			switch {
			case c.Kind == sseKind && (bytes.HasPrefix(c.SSE.Data, []byte("{")) || bytes.HasPrefix(c.SSE.Data, []byte("["))):
				c.Say("message", "The stream of "+frame(x.RequestN)+" had another message ("+frame(c.N)+") after the response ("+frame(r.Response)+").",
					c.N, uint64(r.Response), uint64(x.RequestN))
			case c.Kind == endKind && c.T-r.End > tooLongOpen:
				c.Say("open", "The stream of "+frame(x.RequestN)+" stayed open for "+number((c.T-r.End)/1e9)+" s after the response ("+frame(r.Response)+").",
					c.N, uint64(r.Response), uint64(x.RequestN))
			}
		},
	},
	{
		id: "stream-ended-early", on: diagnose.StreamEnds | diagnose.SSE,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Verb != "POST" || x.Calls == 0 || !x.IsStream || isSSE(c) || c.Session == nil {
				return
			}
			if c.Kind == sseKind {
				unfinishedEvent(c)
				return
			}
			r := rowOf(c)
			if r == nil || r.Kind != session.RowCall || c.By != wire.ByServer ||
				c.Session.State == session.StateClosed || mcp.StaysOpen(rowName(c)) {
				return
			}
			resumable := r.Ending.Open() // the events had ids
			if !resumable && !r.Ending.Lost() {
				return
			}
			f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
			f.Message = c.Server() + " ended the stream of " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") without its response"
			how := ""
			broken := latest(c, func(other *session.Row) bool {
				return other.Kind == session.RowNoise && other.X == r.X
			})
			switch {
			case broken != nil:
				f.Frames = append(f.Frames, uint64(broken.Request))
				f.Message += ": what it sent instead (" + frame(broken.Request) + ") is not valid JSON, perhaps a response that was cut."
				how = "broken event"
			case !c.Clean && resumable:
				return // connections break, and this one can be resumed
			case !c.Clean:
				f.Severity, f.Side = diagnose.Note, diagnose.Environment
				f.Message = "The stream of " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") broke off without its response."
				how = "broken"
			case !resumable:
				f.Message += "; the client cannot request the rest, because no event had an id."
				how = "no ids"
			case isAsked(c):
				return
			default:
				f.Message += " and without retry, which says when to reconnect."
			}
			c.ReportAs(how, f)
		},
	},
	{
		id: "response-on-wrong-stream", on: diagnose.Results | diagnose.Errors,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x == nil || x.RequestN == 0 || c.Call == nil || c.Call.X == x.X || c.Dir != wire.ToClient ||
				c.Call.Dir != wire.ToServer || isSSE(c) || c.Session.Transport != session.TransportHTTP {
				return
			}
			if x.Verb == "GET" && x.Header(mcp.HeaderLastEventID) != "" {
				return // resumed
			}
			c.Say(x.Verb, "The response to "+quote(c.Call.Method)+" ("+frame(c.Call.N)+") came on "+target(x)+" ("+frame(x.RequestN)+"), not in the response to its own POST.",
				c.N, c.Call.N, uint64(x.RequestN))
		},
	},
	{
		id: "last-event-id-missing", on: diagnose.SSE | diagnose.StreamEnds | diagnose.OtherResponses,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Verb != "GET" || !x.IsStream || c.Session == nil ||
				c.Session.Transport != session.TransportHTTP || isSSE(c) {
				return
			}
			s := diagnose.State[numbered](c)
			switch c.Kind {
			case sseKind:
				if c.SSE.HasID && c.SSE.ID != "" {
					s.id, s.n, s.x = c.SSE.ID, c.N, x.X
				}
			case endKind:
				s.cut = x.X == s.x && c.By != wire.ByClient && !c.Clean
			default:
				if s.cut && x.Header(mcp.HeaderLastEventID) == "" {
					c.Say("", c.Client()+" opened the GET stream again ("+frame(x.RequestN)+") without Last-Event-ID. The events of the stream before had ids, the last one "+quote(s.id)+" ("+frame(s.n)+"): what the server sent since then is lost.",
						uint64(x.RequestN), s.n)
				}
				s.cut = false
			}
		},
	},
	{
		id: "notification-wrong-status", on: diagnose.HTTPResponses | diagnose.OddBodies,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if x.Calls > 0 || x.Messages == 0 || x.Verb != "POST" || x.Status < 200 || x.Status > 299 || !isSure(c) {
				return
			}
			if x.Status == 202 && (c.Kind == responseKind || len(c.Data) == 0) {
				return
			}
			name := "A response of the client"
			if method := rowName(c); method != "" {
				name = quote(method)
			}
			f := diagnose.Finding{
				Frames:  headFrames(x),
				Message: name + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)),
			}
			switch {
			case c.Kind == responseKind && x.Status != 202:
				c.ReportAs(name+httpStatus(int(x.Status)), with(f, " instead of 202."))
			case c.Kind == bodyKind && x.Status == 202 && len(c.Data) > 0:
				c.ReportAs(name, with(f, " and a body of "+number(len(c.Data))+" bytes: "+quote(string(words.Clip(c.Data, 100)))+"."))
			}
		},
	},
	{
		id: "wrong-content-type", on: diagnose.OtherMedia | diagnose.OtherResponses,
		check: func(c *diagnose.Case) {
			x := c.Exchange
			if isStreamGet(x) {
				notAStream(c)
				return
			}
			if x.Calls == 0 || x.IsStream || x.Verb != "POST" || x.Status < 200 || x.Status > 299 ||
				x.Status == 202 || isSSE(c) {
				return
			}
			media := x.ResponseHeader("Content-Type")
			if wire.IsMediaType(media, mediaJSON) {
				return
			}
			f := diagnose.Finding{
				Frames:  headFrames(x),
				Message: quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)),
			}
			if media == "" {
				f.Message += " and no Content-Type."
			} else {
				f.Message += " and Content-Type " + quote(media) + "."
			}
			if wire.IsMediaType(media, mediaHTML) {
				advise(&f, "a page in the place of a stream")
			}
			c.ReportAs(media, f)
		},
	},
}

const tooLongOpen = 5e9 // nanoseconds

// isAsked says whether the server said when to come back for the stream that ended.
func isAsked(c *diagnose.Case) bool {
	r, ok := c.Ledger.Other(ledger.Resume, int(c.Row))
	return ok && r.Due != 0
}

// numbered is the latest event with an id on the GET stream of a session.
type numbered struct {
	id  string
	n   uint64
	x   uint32
	cut bool // that stream has ended since
}

func with(f diagnose.Finding, end string) diagnose.Finding {
	f.Message += end
	return f
}

// notAStream looks at a GET for the stream of a session that got something else.
func notAStream(c *diagnose.Case) {
	x := c.Exchange
	if x.Status != 200 || x.IsStream || !isMCP(c) || isSSE(c) || c.Facts.LastOK == 0 {
		return // where nothing worked yet, wrong-url says so
	}
	media := x.ResponseHeader("Content-Type")
	what := "no Content-Type"
	if media != "" {
		what = "Content-Type " + quote(media)
	}
	c.ReportAs("stream "+media, withAdvice("another handler for GET", diagnose.Finding{
		Severity: diagnose.Warning, Frames: headFrames(x),
		Message: target(x) + " (" + frame(x.RequestN) + ") asks for an event stream, and got HTTP 200 and " + what + ".",
	}))
}

// unfinishedEvent reports a message that is the last of its stream and lacks the blank line
// that ends an event: by the standard a client discards it (WHATWG HTML, 9.2.6).
func unfinishedEvent(c *diagnose.Case) {
	if c.Frame.Part != wire.Cut || !wire.Valid(c.SSE.Data) {
		return
	}
	c.ReportAs("unfinished", withAdvice("events without their end", diagnose.Finding{
		Brief: "event without its end", Frames: append([]uint64{c.N}, headFrames(c.Exchange)...),
		Message: "The last event (" + frame(c.N) + ") of the stream of " + quote(rowName(c)) + " (" + frame(c.Exchange.RequestN) +
			") lacks the blank line that ends an event: most clients discard it, and the message with it.",
	}))
}
