package detail

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
)

// Frames are the frames of a row that are at hand, by number.
type Frames map[uint64]wire.Frame

const (
	previewLines = 14
	previewBytes = 4 << 10
)

// Summary says in words what a row is.
func Summary(sc *library.Scene, rec *library.Recording, id int, got Frames, w int) document.Doc {
	d := document.Doc{Width: w}
	row := rec.Tracker.Row(id)
	writeOutcome(&d, sc, rec, row)
	writeHeadlines(&d, sc, rec, id)
	writeNotMCP(&d, sc, rec, row, got)
	said := answer(rec, row, got)
	writeProblem(&d, sc, row, said, w)
	failed := row.Verdict == session.VerdictError
	if failed { // what one looks for first
		writePreview(&d, said, w, sc.Theme)
	}
	d.Blank()
	WriteRemark(&d, sc, rec, id)
	writeWhat(&d, sc, rec, id, row)
	writeTimes(&d, sc, rec, row)
	writeCarrier(&d, sc, rec, row, got)
	writeGrouping(&d, sc, rec, row)
	writeFrameNumbers(&d, sc, row)
	if !failed {
		writePreview(&d, said, w, sc.Theme)
	}
	return d
}

// answer returns the message that answered a row; its Kind is MsgInvalid when
// there is none at hand.
func answer(rec *library.Recording, row *session.Row, got Frames) wire.Message {
	return message(rec, got[uint64(row.Response)], row.RBatch)
}

func message(rec *library.Recording, f wire.Frame, pos uint16) (out wire.Message) {
	if f.Data == nil || !f.HoldsMessages() {
		return out
	}
	wire.ScanMessages(rec.Tracker.Payload(&f), func(i int, m wire.Message) bool {
		if i == int(pos) {
			out = m
		}
		return i < int(pos)
	})
	return out
}

func writeOutcome(d *document.Doc, sc *library.Scene, rec *library.Recording, row *session.Row) {
	sign, st := sc.Verdict(row)
	if sign == "" {
		sign, st = sc.Glyphs.Dot, sc.Theme.Dim
	}
	d.Add(term.S(st, sign+" "), term.S(term.Bold, OutcomeText(rec, row)))
}

// OutcomeText says in a sentence what came of a row.
func OutcomeText(rec *library.Recording, row *session.Row) safe.Text {
	asker, other := Sides(row.Dir)
	switch row.Kind {
	case session.RowNotification:
		return "A notification of the " + asker + ": no response is expected."
	case session.RowResponse:
		return "A response of the " + asker + " to no request that was seen."
	case session.RowNoise:
		return "The " + asker + " sent something that is not JSON-RPC."
	case session.RowStderr:
		return "A line on the server's standard error: not part of the protocol."
	case session.RowProcess:
		return "The server process."
	case session.RowTap:
		return "Something midwire did or noticed itself."
	}
	switch row.Verdict {
	case session.VerdictPending:
		if rec.Live {
			return "The " + other + " has not responded yet."
		}
		return "The " + other + " did not respond before the recording ended."
	case session.VerdictOK:
		return "The " + other + " responded after " + term.Duration(row.Latency()) + "."
	case session.VerdictError:
		return errorText(row, other)
	case session.VerdictCancelled:
		return "The " + asker + " cancelled it."
	case session.VerdictLost:
		return "The connection ended before the " + other + " responded."
	}
	return "A request of the " + asker + "."
}

func errorText(row *session.Row, other safe.Text) safe.Text {
	switch {
	case row.Code != 0:
		return "The " + other + " responded with error " + safe.Int(int(row.Code)) + codeName(row.Code) + "."
	case row.Status >= 400:
		return "The " + other + " responded with HTTP status " + safe.Int(int(row.Status)) + "."
	}
	return "The " + other + " reported a failure."
}

// codeName is what JSON-RPC calls an error code, as it follows the number.
func codeName(code int32) safe.Text {
	if name := mcp.CodeName(int(code)); name != "" {
		return " (" + safe.Line(name) + ")"
	}
	return ""
}

// Sides are the sender and the receiver of a direction.
func Sides(d wire.Dir) (sender, receiver safe.Text) {
	if d == wire.ToServer {
		return "client", "server"
	}
	return "server", "client"
}

func writeWhat(d *document.Doc, sc *library.Scene, rec *library.Recording, id int, row *session.Row) {
	w := rec.Texts.Of(int(id))
	segs := []term.Seg{term.S(term.Bold, safe.Line(rec.Tracker.Name(row.Name)))}
	if w.Target != "" {
		segs = append(segs, term.S(term.Plain, "  "+safe.Line(w.Target)))
	}
	d.Field(sc.Theme, "message", segs...)
	if s := rec.Session(int(row.Session)); s != nil && row.Dir != wire.NoDir {
		from, to := PeerOr(s.Client, "client"), PeerOr(s.Server, "server")
		st := sc.Theme.ToServer
		if row.Dir == wire.ToClient {
			from, to, st = to, from, sc.Theme.ToClient
		}
		d.Field(sc.Theme, "direction", term.S(term.Plain, from), term.S(st, " "+sc.Glyphs.Arrow+" "), term.S(term.Plain, to))
	}
	if of, n := rec.Origin(uint64(row.Request)); rec.Merges() {
		d.Field(sc.Theme, "recording", term.S(term.Plain, of.Name()),
			term.S(sc.Theme.Dim, "   "+safe.Line(of.ID)+", its frame #"+safe.Int(n)))
	}
	if raw := rec.Tracker.Name(row.ID); raw != "" {
		kind := safe.Text("  number")
		if strings.HasPrefix(raw, `"`) {
			kind = "  string"
		}
		d.Field(sc.Theme, "id", term.S(term.Plain, safe.Line(raw)), term.S(sc.Theme.Dim, kind))
	}
	if row.Parent >= 0 {
		p := rec.Tracker.Row(int(row.Parent))
		d.Field(sc.Theme, "belongs to", term.S(term.Plain, "#"+safe.Int(p.Request)+" "+safe.Line(rec.Tracker.Name(p.Name))))
	}
}

// PeerOr names a peer, or says word when it has no name.
func PeerOr(p session.Peer, word safe.Text) safe.Text {
	if p.Name == "" && p.Title == "" {
		return word
	}
	return word + " " + library.PeerText(p)
}

func writeTimes(d *document.Doc, sc *library.Scene, rec *library.Recording, row *session.Row) {
	clock := safe.Time(rec.Started.Add(time.Duration(row.T)).Local(), "2006-01-02 15:04:05.000")
	d.Field(sc.Theme, "sent", term.S(term.Plain, term.Seconds(max(0, row.T-sc.Base))), term.S(sc.Theme.Dim, " s   "+clock))
	if row.End > 0 && row.Kind == session.RowCall {
		segs := []term.Seg{
			term.S(term.Plain, term.Seconds(max(0, row.End-sc.Base))),
			term.S(sc.Theme.Dim, " s   after "), term.S(term.Plain, term.Duration(row.Latency())),
		}
		if row.First > 0 && row.First < row.End {
			segs = append(segs, term.S(sc.Theme.Dim, ", first sign after "), term.S(term.Plain, term.Duration(row.First-row.T)))
		}
		d.Field(sc.Theme, "response", segs...)
	}
	if row.Count > 0 {
		d.Field(sc.Theme, "meanwhile", term.S(term.Plain, term.Count(int(row.Count), "notification")+" and events"))
	}
}

func writeCarrier(d *document.Doc, sc *library.Scene, rec *library.Recording, row *session.Row, got Frames) {
	if row.Conn == 0 {
		if row.Kind != session.RowTap {
			d.Field(sc.Theme, "transport", term.S(term.Plain, "stdio: the pipes of the server process"))
		}
	} else {
		segs := []term.Seg{term.S(term.Plain, "HTTP connection "+safe.Int(row.Conn)+", request x"+safe.Int(row.X))}
		if h, ok := wire.ParseHead(got[rec.Heads[row.X].Req].Data); ok {
			segs = append(segs, term.S(sc.Theme.Dim, "   "+safe.Line(h.Method+" "+h.Target)))
		}
		d.Field(sc.Theme, "transport", segs...)
		if row.Status > 0 {
			segs = []term.Seg{term.S(messages.StatusStyle(sc.Theme, safe.Int(int(row.Status))),
				safe.Int(int(row.Status)))}
			if ct := wire.HeadValue(got[rec.Heads[row.X].Resp].Data, "Content-Type"); ct != "" {
				segs = append(segs, term.S(sc.Theme.Dim, "  "+safe.Line(ct)))
			}
			d.Field(sc.Theme, "HTTP", segs...)
		}
	}
	sizes := []term.Seg{term.S(term.Plain, term.Size(int64(row.Len)))}
	if row.Response > 0 && row.RLen > 0 {
		sizes = append(sizes, term.S(sc.Theme.Dim, " request, "),
			term.S(term.Plain, term.Size(int64(row.RLen))), term.S(sc.Theme.Dim, " response"))
	}
	d.Field(sc.Theme, "bytes", sizes...)
}

func writeGrouping(d *document.Doc, sc *library.Scene, rec *library.Recording, row *session.Row) {
	s := rec.Session(int(row.Session))
	if s == nil {
		d.Field(sc.Theme, "session", term.S(sc.Theme.Warn, "none: nothing says which session it belongs to"))
		return
	}
	if s.ID == "" {
		d.Field(sc.Theme, "session", term.S(term.Plain, "no id on the wire"), term.S(sc.Theme.Dim, "   grouped by "), term.S(term.Plain, safe.Line(s.Why)))
	} else {
		d.Field(sc.Theme, "session", term.S(term.Plain, safe.Line(s.ID)),
			term.S(sc.Theme.Dim, "   grouped by "), term.S(term.Plain, safe.Line(s.Why)))
		d.Field(sc.Theme, "", term.S(sc.Theme.Dim, "the id "+IDOrigin(s.IDSource)))
	}
	if s.ProtocolVersion != "" {
		d.Field(sc.Theme, "protocol", term.S(term.Plain, safe.Line(string(s.ProtocolVersion))),
			term.S(sc.Theme.Dim, "   "+safe.Line(s.Transport.String())))
	}
}

// IDOrigin says where the id of a session comes from.
func IDOrigin(src session.IDSource) safe.Text {
	switch src {
	case session.IDServer:
		return "was assigned by the server at initialize"
	case session.IDEndpoint:
		return "came in the endpoint event of the server"
	case session.IDClient:
		return "was invented by the client: no server assigned it"
	case session.IDForeign:
		return "was never assigned while midwire watched"
	case session.IDReplaced:
		return "was assigned by the server in place of another one"
	case session.IDQuery:
		return "is carried in the query of the URL"
	case session.IDMeta:
		return "is carried in _meta"
	case session.IDArgument:
		return "is carried in a tool argument"
	}
	return "has no known origin"
}

func writeFrameNumbers(d *document.Doc, sc *library.Scene, row *session.Row) {
	segs := []term.Seg{term.S(term.Plain, "#"+safe.Int(row.Request))}
	if row.Response > 0 {
		segs = append(segs, term.S(sc.Theme.Dim, ", response "), term.S(term.Plain, "#"+safe.Int(row.Response)))
	}
	d.Field(sc.Theme, "frames", segs...)
}

// writeProblem shows the message and data of a JSON-RPC error.
func writeProblem(d *document.Doc, sc *library.Scene, row *session.Row, m wire.Message, w int) {
	if m.Kind != wire.MsgError {
		return
	}
	text := wire.Text(wire.Get(m.Error, "message"))
	d.Add(term.S(sc.Theme.Err, safe.Int(int(row.Code))+"  "), term.S(term.Bold, safe.Line(text)))
	if data := wire.Get(m.Error, "data"); data != nil {
		writeInset(d, sc.Theme, string(data[:min(len(data), previewBytes)]), w)
	}
}

// writePreview shows the text that a result carries, decoded: the one place where
// escapes of JSON are, after which the text is made safe as everywhere.
func writePreview(d *document.Doc, m wire.Message, w int, th *term.Theme) {
	if m.Kind != wire.MsgResult {
		return
	}
	shown := false
	wire.Items(wire.Get(m.Result, "content"), func(_ int, item []byte) bool {
		text := wire.Text(wire.Get(item, "text"))
		if text == "" {
			return true
		}
		if !shown {
			d.Blank()
		}
		shown = true
		writeInset(d, th, text[:min(len(text), previewBytes)], w)
		return len(d.Lines) < previewLines*3
	})
}

// writeInset adds untrusted text, indented, a handful of lines of it.
func writeInset(d *document.Doc, th *term.Theme, text string, w int) {
	from := len(d.Lines)
	for s := range strings.Lines(text) {
		d.WrapLine("  "+safe.Marked(strings.TrimRight(s, "\r\n")), w, false)
		if len(d.Lines) >= from+previewLines {
			d.Lines = d.Lines[:from+previewLines]
			d.Text(th.Dim, "  … the rest is in the other tabs")
			return
		}
	}
}

// WriteRemark says in the summary what the user wrote about a row.
func WriteRemark(d *document.Doc, sc *library.Scene, rec *library.Recording, i int) {
	if text := rec.Comment(i); text != "" {
		d.Field(sc.Theme, "comment", term.S(sc.Theme.Note, safe.Line(text)))
	}
}
