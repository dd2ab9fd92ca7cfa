package rules

import (
	"bytes"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/ledger"
	"midwire/session/mcp"
	"midwire/session/oauth"
	"midwire/session/operation"
	"midwire/session/wire"
	"midwire/session/words"
)

var htmlResponse = rule("html-response", diagnose.OtherMedia, func(c *diagnose.Case) {
	x := c.Exchange
	if x.Messages == 0 || x.IsStream || x.Status >= 300 && x.Status < 400 || x.Status == 404 || x.Status == 405 ||
		!wire.IsMediaType(x.ResponseHeader("Content-Type"), "text/html") {
		return
	}
	password := x.Status == 401 && oauth.OtherScheme(wire.HeadValues(x.ResponseHead, "WWW-Authenticate"))
	if password || x.Status >= 500 || x.Status == 403 || x.Status == 413 || x.Status == 429 {
		return // the status says more than the page
	}
	if x.Status != 401 && (c.Facts == nil || c.Facts.LastOK == 0) {
		return // no MCP here at all: wrong-url says so
	}
	f := diagnose.Finding{Frames: headFrames(x)}
	f.Message = target(x) + " with " + quote(rowName(c)) + " (" + frame(x.RequestN) + ") got " + httpStatus(int(x.Status)) + " and a web page"
	if by := x.ResponseHeader("Server"); by != "" {
		f.Message += " by " + quote(by)
	}
	f.Message += "."
	if x.ResponseHeader("X-Powered-By") != "" {
		f.Side = diagnose.Server // a framework's own page
	}
	c.ReportAs(httpStatus(int(x.Status)), f)
})

var cachedResponse = rule("cached-response", diagnose.OddResponses, func(c *diagnose.Case) {
	x := c.Exchange
	if x == nil || x.Status < 400 || !isMCP(c) {
		return
	}
	if mark := operation.Cached(x.ResponseHeader); mark != "" {
		c.ReportAs(x.Verb+mark[:1], diagnose.Finding{
			Frames: headFrames(x),
			Message: "A cache responded to " + target(x) + " (" + frame(x.RequestN) + ") with " + httpStatus(int(x.Status)) +
				" in place of " + c.Server() + ": " + quote(mark) + ".",
		})
	}
})

var responseDelayed = rule("response-delayed", diagnose.Results|diagnose.Finish, func(c *diagnose.Case) {
	d := diagnose.State[delays](c)
	if c.N == 0 {
		d.report(c)
		return
	}
	if c.Call == nil || c.Dir != wire.ToClient {
		return
	}
	took := c.T - c.Call.T
	if d.count == 0 {
		d.least, d.most = took, took
	}
	d.least, d.most = min(d.least, took), max(d.most, took)
	if d.count++; len(d.frames) < diagnose.MaxFrames {
		d.frames = append(d.frames, c.N, c.Call.N)
	}
	if c.Exchange != nil && between(c.Exchange) != "" {
		d.gateway = true
	}
	d.methods.add(c.Call.Method)
})

// delays are how long the responses of a session took.
type delays struct {
	count       int
	least, most int64
	frames      []uint64
	methods     served
	gateway     bool
}

func (d *delays) report(c *diagnose.Case) {
	if d.count < 3 || len(d.methods.paths) < 2 || d.least < 2e9 || d.most-d.least > d.least/20 {
		return
	}
	f := diagnose.Finding{Frames: d.frames}
	if d.gateway {
		f.Side = diagnose.Gateway
	}
	f.Message = "All " + number(d.count) + " responses of this session, to " + number(len(d.methods.paths)) + " different methods, took " + seconds(d.least) + " to " + seconds(d.most) + "."
	c.ReportAs("", f)
}

var responseNotJSONRPC = rule("response-not-jsonrpc", diagnose.OddBodies|diagnose.Ends|diagnose.SSE|diagnose.Noise,
	func(c *diagnose.Case) {
		x := c.Exchange
		if x == nil || x.Calls == 0 || x.Verb != "POST" || x.Status != 200 || isSSE(c) {
			return
		}
		r := rowOf(c)
		if c.Kind == noiseKind && r.Parent >= 0 {
			r = c.Tracker().Row(int(r.Parent))
		}
		if r == nil || r.Kind != session.RowCall || r.Ending == session.Served {
			return
		}
		switch {
		case c.Kind == noiseKind:
			if kind := classifyBody(c.Data); x.IsStream && kind.half {
				halfEvent(c, c.Tracker().Name(r.Name), kind)
			}
		case x.IsStream:
			if c.Kind == sseKind && x.Events == 0 && isMessage(c.Data) { // without a field of an event
				reportBody(c, body{what: "JSON, and its head declares an event stream (Content-Type text/event-stream)", why: "message called a stream"})
			}
		case !wire.IsMediaType(x.ResponseHeader("Content-Type"), mediaJSON):
		case c.Kind == bodyKind && c.Frame.Part == wire.Whole:
			notMessage(c)
		case c.Kind == endKind && r.Ending.Lost() && c.Clean && x.ResponseHeader("Content-Length") == "0":
			reportBody(c, emptyBody)
		}
	})

// notMessage looks at a body that is declared as JSON.
func notMessage(c *diagnose.Case) {
	if isMessage(c.Data) {
		return
	}
	coding := c.Exchange.ResponseHeader("Content-Encoding")
	switch kind := classifyBody(c.Data); {
	case len(c.Data) > 0:
		reportBody(c, kind)
	case coding != "" && len(c.Frame.Data) > 0 && isMessage(c.Frame.Data):
		reportBody(c, body{what: "not compressed, and its head says Content-Encoding " + quote(coding), why: "coding said, not used"})
	case coding != "" && len(c.Frame.Data) > 0:
		reportBody(c, body{what: "said to be compressed with " + quote(coding) + " (Content-Encoding), and cannot be decompressed", why: "another coding than said"})
	}
}

func isMessage(b []byte) bool {
	n, _ := wire.ScanMessages(b, func(int, wire.Message) bool { return false })
	return n > 0
}

func reportBody(c *diagnose.Case, kind body) {
	x := c.Exchange
	f := diagnose.Finding{Frames: headFrames(x)}
	advise(&f, kind.why)
	f.Message = quote(rowName(c)) + " (" + frame(x.RequestN) + ") got 200 and a body that is " + kind.what
	if c.Kind != endKind {
		f.Frames = append(f.Frames, c.N)
		f.Message += ": " + quote(strings.Join(strings.Fields(string(words.Clip(c.Data, 100))), " "))
	}
	f.Message += "."
	if between(x) != "" && kind.half {
		f.Side = diagnose.Gateway
	}
	c.ReportAs(rowName(c)+kind.what, f)
}

func halfEvent(c *diagnose.Case, method string, kind body) {
	x := c.Exchange
	f := diagnose.Finding{Frames: append([]uint64{c.N}, headFrames(x)...)}
	advise(&f, kind.why)
	f.Message = quote(method) + " (" + frame(x.RequestN) + ") got an event (" + frame(c.N) + ") whose data is " + kind.what + ", after " + number(len(c.Data)) + " bytes."
	if between(x) != "" {
		f.Side = diagnose.Gateway
	}
	c.ReportAs(method+kind.what, f)
}

var responseUnreadable = rule("response-unreadable",
	diagnose.Results|diagnose.Errors|diagnose.Requests|onGivingUp|diagnose.Finish,
	func(c *diagnose.Case) {
		switch {
		case c.Session == nil:
		case c.Message.Kind == wire.MsgResult || c.Message.Kind == wire.MsgError:
			if form := formOf(c); form != "" && c.Call != nil && c.Dir == wire.ToClient {
				s := diagnose.State[oddForms](c)
				s.list = kept(s.list, 32, oddForm{row: c.Row, form: form, n: c.N, t: c.T, same: c.Call.Same()})
			}
		default:
			if o := diagnose.State[oddForms](c).notTaken(c); o != nil && !o.told {
				o.told = true
				reportUnreadable(c, o)
			}
		}
	})

// oddForm is a response whose form a client may not be able to read.
type oddForm struct {
	row  int32
	form string
	n    uint64
	t    int64
	same uint64 // of what was asked, as sameParams has it
	told bool
}

// oddForms are the latest of a session.
type oddForms struct{ list []oddForm }

// notTaken is the response that the case in hand shows that the client waits for, nil
// for none.
// longLine is the smallest of the usual limits of a line, in bytes.
const longLine = 64 << 10

func (s *oddForms) notTaken(c *diagnose.Case) *oddForm {
	for i := len(s.list) - 1; i >= 0; i-- {
		o := &s.list[i]
		r := c.Tracker().Row(int(o.row))
		if c.N != 0 && c.Kind == messageKind && c.Call != nil && o.repeats(c) {
			return o
		}
		if c.T-o.t < 1e9 && c.N != 0 {
			continue
		}
		switch {
		case c.Kind == messageKind && string(c.Message.Method) == mcp.NotifyCancelled && c.Dir == wire.ToServer:
			if rowOf(c).Parent < 0 && wire.ID([]byte(c.Tracker().Name(r.ID))) == wire.ID(c.Param("requestId")) {
				return o
			}
		case c.Kind == endKind:
			if c.By == wire.ByClient && c.Exchange.X == r.X && limitAt(c.T-r.T) != 0 {
				return o
			}
		case forgotten(c, o, r):
			return o
		}
	}
	return nil
}

// repeats says that the request in hand is the same once more, right after its response.
func (o *oddForm) repeats(c *diagnose.Case) bool {
	return c.Call.Row != o.row && c.T-o.t < 2e9 && o.form != crlfEvent && c.Call.Same() == o.same
}

// forgotten says that a client goes on, or away, as if initialize had no response.
func forgotten(c *diagnose.Case, o *oddForm, r *session.Row) bool {
	if c.Tracker().Name(r.Name) != mcp.Initialize {
		return false
	}
	h, known := c.Ledger.Other(ledger.Handshake, int(o.row))
	if !known || h.End == session.Served || c.T-o.t < 3e9 {
		return false
	}
	n, _ := c.Ledger.Heard(c.Session.Index, wire.ToServer)
	switch {
	case c.N == 0:
		return n < o.n && c.T-o.t > 5e9
	case c.Kind == messageKind: // the same again
		return c.Call != nil && c.Call.Method == mcp.Initialize && c.Call.Row != o.row
	}
	return c.Frame.Kind == wire.KindClose && c.Dir == wire.ToServer && n < o.n
}

func reportUnreadable(c *diagnose.Case, o *oddForm) {
	r := c.Tracker().Row(int(o.row))
	f := diagnose.Finding{Frames: []uint64{o.n, uint64(r.Request)}}
	f.Message = "The response to " + c.Tracker().Name(r.Name) + " (" + frame(r.Request) + ") had arrived (" + frame(o.n) + "), and the client "
	switch {
	case c.N == 0:
		f.Message += "did not go on"
	case c.Kind == messageKind && c.Message.Kind == wire.MsgRequest:
		f.Message += "sent the request again (" + frame(c.N) + ")"
	default:
		f.Message += "gave up waiting for it (" + frame(c.N) + ")"
	}
	if c.N != 0 {
		f.Frames = append(f.Frames, c.N)
	}
	if o.form == crlfEvent { // as many servers write it
		f.Seen = true
	} else if c.Kind == messageKind && c.Call != nil && c.Call.Method != mcp.Initialize {
		// There may be another reason to ask again.
		f.Severity, f.Seen, f.Side = diagnose.Note, true, diagnose.Client
	}
	if strings.HasSuffix(o.form, " data lines") || strings.HasPrefix(o.form, "one line of") {
		f.Remedies = fixes(inClient("read events as SSE has them: several data lines are one message, and a line has no limit of 64 KiB."), inServer("until then, write each message in one data line, and return less at once."))
	}
	f.Message += " " + seconds(c.T-o.t) + " later. The response has " + o.form + ", which not every client can read."
	c.ReportAs(o.form, f)
}

// formOf says what is unusual about the form of the response in hand, "" for nothing.
func formOf(c *diagnose.Case) string {
	data := c.Frame.Data
	if c.Frame.Kind == wire.KindLine {
		if c.Frame.EOL == "\r\n" {
			return "a carriage return at the end of its line"
		}
		return ""
	}
	if c.Exchange == nil {
		return ""
	}
	if coding := c.Exchange.ResponseHeader("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		if asked := c.Exchange.Header("Accept-Encoding"); !listsToken(asked, coding) && !listsToken(asked, "*") {
			return "the content coding " + quote(coding) + ", for which the request did not ask"
		}
		return ""
	}
	if charset := charsetOf(c.Exchange); charset != "" && charset != "utf-8" && charset != "utf8" {
		return "the charset " + quote(charset)
	}
	switch {
	case c.Frame.Kind != wire.KindEvent:
	case bytes.HasPrefix(data, byteOrderMark):
		return "a byte-order mark in front of it"
	case bytes.Count(data, []byte("data:")) > 1 && dataLines(data) > 1:
		return number(dataLines(data)) + " data lines"
	case len(data) >= longLine && dataLines(data) == 1:
		return "one line of " + number(len(data)) + " bytes"
	case bytes.Contains(data, []byte("\r\n")):
		return crlfEvent
	}
	return ""
}

const crlfEvent = "lines that end with CR LF"

func dataLines(event []byte) (n int) {
	for line := range bytes.FieldsFuncSeq(event, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if bytes.HasPrefix(line, []byte("data")) {
			n++
		}
	}
	return n
}

// charsetOf is the charset of a response in lower case, "" when it says none.
func charsetOf(x *session.Exchange) string {
	if !bytes.Contains(x.ResponseHead, []byte("harset")) { // most have none
		return ""
	}
	_, charset, _ := strings.Cut(words.Fold(x.ResponseHeader("Content-Type")), "charset=")
	return strings.Trim(charset, `" `)
}
