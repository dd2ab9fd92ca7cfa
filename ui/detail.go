package ui

import (
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

type tab uint8

const (
	tabSummary tab = iota
	tabRequest
	tabResponse
	tabRaw
	tabHeaders
	tabTiming
	tabFindings
	tabCount
)

// words says whether a tab has words of ours and no bytes of a message.
func (t tab) words() bool { return t == tabSummary || t == tabTiming || t == tabFindings }

// tabNames are the names of the tabs in a pane of w cells.
func (m *Model) tabNames(w int) [tabCount]safe.Text {
	names := [tabCount]safe.Text{"Summary", "Request", "Response", "Raw", "Headers", "Timing", "Findings"}
	switch {
	case w < 58:
		names = [tabCount]safe.Text{"Sum", "Req", "Res", "Raw", "Hd", "Tm", "Fnd"}
	case w < 78:
		names = [tabCount]safe.Text{"Sum", "Req", "Resp", "Raw", "Head", "Time", "Find"}
	case w < 90:
		names[tabHeaders], names[tabTiming] = "Head", "Time"
	}
	if n := len(m.about()); n > 0 {
		names[tabFindings] += "(" + term.Number(n) + ")"
	}
	return names
}

// shown identifies what the detail pane shows, and in which state.
type shown struct {
	rec      *library.Recording
	id       uint32
	frames   bool
	tab      tab
	width    int
	live     bool
	look     int // changes with the theme
	version  rowVersion
	complete bool // every frame was at hand
	wide     bool // lines are not broken
	hex      bool
}

// rowVersion changes when a row does.
type rowVersion struct {
	response uint32
	count    uint16
	verdict  session.Verdict
	end      int64
	status   uint16
	client   string
	id       string
	notes    int // the stamp of the notes, likewise
	findings int // the stamp of the findings, of a tab that shows them
}

// detail is the pane that shows one row: in words, and its bytes.
type detail struct {
	tab    tab
	key    shown
	doc    doc
	gen    int // of the document being built by a command
	top    int
	height int
	width  int
	wide   bool // lines are not broken but scrolled sideways
	left   int  // cells that are scrolled out at the left
	find   find
	cur    int  // the line under the cursor, where the document is JSON
	focus  bool // keys go here
	kept   *doc // the one before, while the next is being laid out
	hex    bool // bytes on the Raw tab are numbers
	raw    bool // strings are shown as they are written, in every document
}

// unbroken is the width of a document whose lines are not broken: far more than
// any screen, and little enough to be drawn in no time.
const unbroken = 10_000

// accept takes a finished document. The place is kept when it is about the
// same row and tab as before; else it begins where something was looked for.
func (d *detail) accept(k shown, doc doc) {
	other := d.key.rec != k.rec || d.key.id != k.id || d.key.tab != k.tab || d.key.frames != k.frames
	d.keepFolds(&doc, other)
	d.key, d.doc = k, doc
	d.gen++
	d.find.look(&d.doc)
	if other {
		d.top, d.cur, d.left, d.find.at = 0, d.doc.near(0), 0, 0
		d.find.step(d, 0)
	}
	d.scroll(0)
}

// view draws the document without the title.
func (d *detail) view(w, h int, sc *library.Scene) []string {
	d.height, d.width = h, w-1
	if d.doc.hex != nil {
		return d.hexView(w, h, sc)
	}
	d.scroll(0)
	out := make([]string, 0, h)
	for i, last := d.top, -1; i < len(d.doc.lines) && i != last && len(out) < h; {
		out = append(out, d.line(i, w, sc))
		last, i = i, d.doc.step(i, 1)
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// part is a piece of a tab: a heading and bytes.
type part struct {
	head   bool // an HTTP head: one line per field, never JSON
	pretty bool // indent JSON
	title  safe.Text
	data   []byte
	absent safe.Text // said instead when there are no bytes
}

// wanted lists the frames a tab needs.
func wanted(rec *library.Recording, row *session.Row, t tab) []uint64 {
	h := rec.Heads[row.X]
	req, resp := uint64(row.Request), uint64(row.Response)
	respHeads := h
	if m := rec.Frame(resp); m != nil {
		respHeads = rec.Heads[m.X]
	}
	switch t {
	case tabRequest:
		return compactNumbers(requestHead(row, h), req)
	case tabResponse:
		return compactNumbers(responseHead(row, h, respHeads), resp)
	case tabHeaders:
		return compactNumbers(h.Req, h.Resp, respHeads.Req, respHeads.Resp)
	}
	return compactNumbers(h.Req, req, respHeads.Resp, h.Resp, resp)
}

// requestHead is the head that a row's request came with: an answer of the
// client travels in a request too, and a request of the server in a response.
func requestHead(row *session.Row, h library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return h.Resp
	}
	return h.Req
}

func responseHead(row *session.Row, h, answer library.Heads) uint64 {
	if row.Dir == wire.ToClient {
		return answer.Req
	}
	if answer.Resp == 0 {
		return h.Resp
	}
	return answer.Resp
}

// compactNumbers drops zeros and repetitions.
func compactNumbers(ns ...uint64) []uint64 {
	var out []uint64
next:
	for _, n := range ns {
		for _, o := range out {
			if n == o {
				continue next
			}
		}
		if n != 0 {
			out = append(out, n)
		}
	}
	return out
}

// parts arranges the frames of a row for a tab other than the summary.
func parts(rec *library.Recording, row *session.Row, t tab, got loadedFrames) []part {
	numbers := wanted(rec, row, t)
	var out []part
	for _, n := range numbers {
		f := got[n]
		head := f.Kind == wire.KindRequest || f.Kind == wire.KindResponse
		if t == tabRaw || t == tabHeaders {
			out = append(out, part{title: rawTitle(&f), data: f.Data, head: t == tabHeaders})
			continue
		}
		p := part{head: head, pretty: !head, data: f.Data}
		if !head {
			p.data = rec.Tracker.Payload(&f)
		}
		out = append(out, p)
	}
	if len(out) > 0 || t == tabRaw {
		return out
	}
	absent := safe.Text("There is no answer.")
	switch {
	case t == tabHeaders && row.Conn == 0:
		absent = "There are no HTTP headers: the pipes of a process (stdio) have none."
	case t == tabHeaders:
		absent = "No HTTP head of this is in the recording."
	case t == tabRequest:
		absent = "Nothing was asked."
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		absent = "No answer is expected to this."
	case row.Verdict == session.VerdictPending && rec.Live:
		absent = "No answer yet."
	}
	return []part{{absent: absent}}
}

// rawTitle names a frame above its bytes.
func rawTitle(f *wire.Frame) safe.Text {
	t := safe.Text("#"+strconv.Itoa(int(f.N))+" "+f.Kind.String()+", ") + term.Size(int64(f.Len)) + " bytes"
	if f.Len < 1000 {
		t = safe.Text("#" + strconv.Itoa(int(f.N)) + " " + f.Kind.String() + ", " + strconv.Itoa(f.Len) + " bytes")
	}
	switch f.EOL {
	case "\r\n":
		t += ", ends in CR LF"
	case "":
		if f.Kind == wire.KindLine || f.Kind == wire.KindStderr {
			t += ", no line end"
		}
	}
	if f.Masked {
		t += ", secrets masked"
	}
	return t
}

// buildDoc lays out the parts of a tab. It is pure, so that a command can run
// it for what is large.
func buildDoc(th *term.Theme, ps []part, w int) doc {
	d := doc{w: w}
	for i, p := range ps {
		if i > 0 {
			d.blank()
		}
		if p.absent != "" {
			d.text(th.Dim, p.absent)
		}
		if p.title != "" {
			d.text(th.Dim, p.title)
		}
		switch {
		case p.head:
			d.head(th, p.data, w)
		case p.pretty:
			d.body(th, p.data, w)
		default:
			d.wrapped(th, p.data, w, false)
		}
	}
	return d
}

// head adds an HTTP head as it was, the names of its fields dimmed.
func (d *doc) head(th *term.Theme, raw []byte, w int) {
	first := true
	for s := range strings.Lines(string(raw[:min(len(raw), maxShown)])) {
		s = strings.TrimRight(s, "\r\n")
		name, value, ok := strings.Cut(s, ":")
		switch {
		case s == "":
		case first:
			d.text(term.Bold, safe.Line(s))
		case !ok || len(s) > w:
			d.wrapLine(safe.Marked(s), w, false)
		default:
			d.add(term.S(th.JsonKey, safe.Line(name)), term.S(th.Dim, ":"), term.S(term.Plain, safe.Line(value)))
		}
		first = false
	}
}

// partsSize is how many bytes a document has to lay out.
func partsSize(ps []part) (n int) {
	for _, p := range ps {
		n += len(p.data)
	}
	return n
}
