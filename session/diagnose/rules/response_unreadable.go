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
