package ui

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
)

// loadedFrames are the frames of a row that are at hand, by number.
type loadedFrames map[uint64]wire.Frame

const (
	previewLines = 14
	previewBytes = 4 << 10
)

// summarise says in words what a row is.
func summarise(sc *scene, rec *recording, id int, got loadedFrames, w int) doc {
	d := doc{w: w}
	row := rec.t.Row(id)
	d.outcome(sc, rec, row)
	d.headlines(sc, rec, id)
	d.notMCP(sc, rec, row, got)
	said := answer(rec, row, got)
	d.problem(sc, row, said, w)
	failed := row.Verdict == session.VerdictError
	if failed { // what one looks for first
		d.preview(said, w, sc.th)
	}
	d.blank()
	d.remark(sc, rec, id)
	d.what(sc, rec, id, row)
	d.times(sc, rec, row)
	d.carrier(sc, rec, row, got)
	d.grouping(sc, rec, row)
	d.frameNumbers(sc, row)
	if !failed {
		d.preview(said, w, sc.th)
	}
	return d
}

// answer returns the message that answered a row; its Kind is MsgInvalid when
// there is none at hand.
func answer(rec *recording, row *session.Row, got loadedFrames) wire.Message {
	return message(rec, got[uint64(row.Response)], row.RBatch)
}

func message(rec *recording, f wire.Frame, pos uint16) (out wire.Message) {
	if f.Data == nil || !f.HoldsMessages() {
		return out
	}
	wire.ScanMessages(rec.t.Payload(&f), func(i int, m wire.Message) bool {
		if i == int(pos) {
			out = m
		}
		return i < int(pos)
	})
	return out
}

func (d *doc) outcome(sc *scene, rec *recording, row *session.Row) {
	sign, st := sc.verdict(row)
	if sign == "" {
		sign, st = sc.sg.dot, sc.th.dim
	}
	d.add(seg{st, safe.Text(sign) + " "}, seg{bold, outcomeText(rec, row)})
}

func outcomeText(rec *recording, row *session.Row) safe.Text {
	asker, other := sides(row.Dir)
	switch row.Kind {
	case session.RowNotification:
		return "A notification of the " + asker + ": no answer is expected."
	case session.RowResponse:
		return "An answer of the " + asker + " to no request that was seen."
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
			return "The " + other + " has not answered yet."
		}
		return "The " + other + " never answered before the recording ended."
	case session.VerdictOK:
		return "The " + other + " answered after " + duration(row.Latency()) + "."
	case session.VerdictError:
		return errorText(row, other)
	case session.VerdictCancelled:
		return "The " + asker + " cancelled it."
	case session.VerdictLost:
		return "The connection ended before the " + other + " answered."
	}
	return "A request of the " + asker + "."
}

func errorText(row *session.Row, other safe.Text) safe.Text {
	switch {
	case row.Code != 0:
		return "The " + other + " answered with error " + safe.Text(itoa(int(row.Code))) + codeName(row.Code) + "."
	case row.Status >= 400:
		return "The " + other + " answered with HTTP status " + safe.Text(itoa(int(row.Status))) + "."
	}
	return "The " + other + " answered that it failed."
}

// codeName is what JSON-RPC calls an error code, as it follows the number.
func codeName(code int32) safe.Text {
	if name := mcp.CodeName(int(code)); name != "" {
		return safe.Text(" (" + name + ")")
	}
	return ""
}

func sides(d wire.Dir) (sender, receiver safe.Text) {
	if d == wire.ToServer {
		return "client", "server"
	}
	return "server", "client"
}

func (d *doc) what(sc *scene, rec *recording, id int, row *session.Row) {
	w := rec.words.of(int(id))
	segs := []seg{{bold, safe.Line(rec.t.Name(row.Name))}}
	if w.target != "" {
		segs = append(segs, seg{plain, "  " + safe.Line(w.target)})
	}
	d.field(sc.th, "message", segs...)
	if s := rec.session(int(row.Session)); s != nil && row.Dir != wire.NoDir {
		from, to := peerOr(s.Client, "client"), peerOr(s.Server, "server")
		st := sc.th.c2s
		if row.Dir == wire.ToClient {
			from, to, st = to, from, sc.th.s2c
		}
		d.field(sc.th, "way", seg{plain, from}, seg{st, safe.Text(" " + sc.sg.arrow + " ")}, seg{plain, to})
	}
	if raw := rec.t.Name(row.ID); raw != "" {
		kind := safe.Text("  number")
		if strings.HasPrefix(raw, `"`) {
			kind = "  string"
		}
		d.field(sc.th, "id", seg{plain, safe.Line(raw)}, seg{sc.th.dim, kind})
	}
	if row.Parent >= 0 {
		p := rec.t.Row(int(row.Parent))
		d.field(sc.th, "belongs to", seg{plain, safe.Text("#"+itoa(int(p.Request))+" ") + safe.Line(rec.t.Name(p.Name))})
	}
}

func peerOr(p session.Peer, word safe.Text) safe.Text {
	if p.Name == "" && p.Title == "" {
		return word
	}
	return word + " " + peerText(p)
}

func (d *doc) times(sc *scene, rec *recording, row *session.Row) {
	clock := safe.Text(rec.Started.Add(time.Duration(row.T)).Local().Format("2006-01-02 15:04:05.000"))
	d.field(sc.th, "sent", seg{plain, seconds(max(0, row.T-sc.base))}, seg{sc.th.dim, " s   " + clock})
	if row.End > 0 && row.Kind == session.RowCall {
		segs := []seg{{plain, seconds(max(0, row.End-sc.base))}, {sc.th.dim, " s   after "}, {plain, duration(row.Latency())}}
		if row.First > 0 && row.First < row.End {
			segs = append(segs, seg{sc.th.dim, ", first sign after "}, seg{plain, duration(row.First - row.T)})
		}
		d.field(sc.th, "answered", segs...)
	}
	if row.Count > 0 {
		d.field(sc.th, "on the way", seg{plain, count(int(row.Count), "notification") + " and events"})
	}
}

func (d *doc) carrier(sc *scene, rec *recording, row *session.Row, got loadedFrames) {
	if row.Conn == 0 {
		if row.Kind != session.RowTap {
			d.field(sc.th, "carrier", seg{plain, "the pipes of the server process"})
		}
	} else {
		segs := []seg{{plain, safe.Text("connection " + itoa(int(row.Conn)) + ", exchange x" + itoa(int(row.X)))}}
		if h, ok := wire.ParseHead(got[rec.heads[row.X].req].Data); ok {
			segs = append(segs, seg{sc.th.dim, "   " + safe.Line(h.Method+" "+h.Target)})
		}
		d.field(sc.th, "carrier", segs...)
		if row.Status > 0 {
			segs = []seg{{statusStyle(sc.th, safe.Text(itoa(int(row.Status)))), safe.Text(itoa(int(row.Status)))}}
			if ct := wire.HeadValue(got[rec.heads[row.X].resp].Data, "Content-Type"); ct != "" {
				segs = append(segs, seg{sc.th.dim, "  " + safe.Line(ct)})
			}
			d.field(sc.th, "HTTP", segs...)
		}
	}
	sizes := []seg{{plain, size(int64(row.Len))}}
	if row.Response > 0 && row.RLen > 0 {
		sizes = append(sizes, seg{sc.th.dim, " asked, "}, seg{plain, size(int64(row.RLen))}, seg{sc.th.dim, " answered"})
	}
	d.field(sc.th, "bytes", sizes...)
}

func (d *doc) grouping(sc *scene, rec *recording, row *session.Row) {
	s := rec.session(int(row.Session))
	if s == nil {
		d.field(sc.th, "session", seg{sc.th.warn, "none: nothing says which session it belongs to"})
		return
	}
	if s.ID == "" {
		d.field(sc.th, "session", seg{plain, "no id on the wire"}, seg{sc.th.dim, "   grouped by "}, seg{plain, safe.Line(s.Why)})
	} else {
		d.field(sc.th, "session", seg{plain, safe.Line(s.ID)}, seg{sc.th.dim, "   grouped by "}, seg{plain, safe.Line(s.Why)})
		d.field(sc.th, "", seg{sc.th.dim, "the id " + idOrigin(s.IDSource)})
	}
	if v := safe.Line(string(s.ProtocolVersion)); v != "" {
		d.field(sc.th, "revision", seg{plain, v}, seg{sc.th.dim, safe.Text("   " + s.Transport.String())})
	}
}

func idOrigin(src session.IDSource) safe.Text {
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

func (d *doc) frameNumbers(sc *scene, row *session.Row) {
	segs := []seg{{plain, safe.Text("#" + itoa(int(row.Request)))}}
	if row.Response > 0 {
		segs = append(segs, seg{sc.th.dim, ", answer "}, seg{plain, safe.Text("#" + itoa(int(row.Response)))})
	}
	d.field(sc.th, "frames", segs...)
}

// problem shows the message and data of a JSON-RPC error.
func (d *doc) problem(sc *scene, row *session.Row, m wire.Message, w int) {
	if m.Kind != wire.MsgError {
		return
	}
	text := wire.Text(wire.Get(m.Error, "message"))
	d.add(seg{sc.th.err, safe.Text(itoa(int(row.Code))) + "  "}, seg{bold, safe.Line(text)})
	if data := wire.Get(m.Error, "data"); data != nil {
		d.inset(sc.th, string(data[:min(len(data), previewBytes)]), w)
	}
}

// preview shows the text that a result carries, decoded: the one place where
// escapes of JSON are, after which the text is made safe as everywhere.
func (d *doc) preview(m wire.Message, w int, th *theme) {
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
			d.blank()
		}
		shown = true
		d.inset(th, text[:min(len(text), previewBytes)], w)
		return len(d.lines) < previewLines*3
	})
}

// inset adds untrusted text, indented, a handful of lines of it.
func (d *doc) inset(th *theme, text string, w int) {
	from := len(d.lines)
	for s := range strings.Lines(text) {
		d.wrapLine("  "+safe.Marked(strings.TrimRight(s, "\r\n")), w, false)
		if len(d.lines) >= from+previewLines {
			d.lines = d.lines[:from+previewLines]
			d.text(th.dim, "  … the rest is in the other tabs")
			return
		}
	}
}
