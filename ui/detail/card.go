package detail

import (
	"cmp"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// cardBytes is the longest payload whose beginning a card shows.
const cardBytes = 64 << 10

// Card draws a message in h lines of w cells: what came back and the verdict beside
// each other, then the beginnings of request and response. Nothing of it scrolls.
func (m *Message) Card(sc *library.Scene, w, h int) []string {
	if !term.Wide(w) {
		return m.narrowCard(sc, w, h)
	}
	left := w
	verdict := document.Doc{Width: w/2 - 2}
	if m.Verdict(&verdict, sc); len(verdict.Lines) > 0 {
		left = w - w/2
	}
	top := document.Doc{Width: left - 3}
	m.Outcome(&top, sc)
	m.beside(&top, sc)
	m.transport(&top, sc)
	top.Lines = top.Lines[:min(len(top.Lines), max(h-2, 1))]
	if len(top.Lines)+4 <= h {
		top.Blank()
	}
	half := left / 2
	if m.OneSided() {
		half = left
	}
	request, response := m.beginnings(sc, half-2)
	lines := append(top.Draw(&sc.Screen, left, 1, 0, h), columns(sc, request, response, half, left-half)...)
	if len(lines) > h {
		more := document.Doc{Lines: []document.Line{{Segs: []term.Seg{term.S(sc.Theme.Dim, sc.Glyphs.Ellipsis)}}}}
		lines = append(lines[:h-1], columns(sc, more, more, half, left-half)...)
	}
	right := fitting(&verdict, sc, h).Draw(&sc.Screen, w-left, 0, 0, h)
	out := make([]string, 0, h)
	for i := range h {
		out = append(out, at(lines, i, left)+at(right, i, w-left))
	}
	return out
}

// beside is what else must not be missed: what it waits for, what an error says more, that there is no
// MCP here, what the user wrote, where the message comes from.
func (m *Message) beside(d *document.Doc, sc *library.Scene) {
	m.waits(d, sc)
	m.otherLeg(d, sc)
	WriteRemark(d, sc, m.Rec, m.ID)
	if data := wire.Get(m.said.Error, "data"); data != nil {
		d.AddIndented(2, append([]term.Seg{term.S(sc.Theme.Dim, "  data ")}, argument(sc, data)...))
	}
	if of, n := m.Rec.Origin(uint64(m.Row.Request)); m.Rec.Merges() {
		d.Field(sc.Theme, "recording", term.S(term.Plain, of.Name()),
			term.S(sc.Theme.Dim, "   "+safe.Line(of.ID)+", its frame #"+safe.Int(n)))
	}
}

// otherLeg says where a call is on the other side of a hub, and how long it took behind it.
func (m *Message) otherLeg(d *document.Doc, sc *library.Scene) {
	if m.Leg.Rec == nil {
		return
	}
	th, leg := sc.Theme, m.Leg
	name, target := leg.Names()
	row := leg.Rec.Tracker.Row(leg.Row)
	what := safe.Line(cmp.Or(target, leg.Rec.Tracker.Name(row.Name)))
	line := []term.Seg{
		term.S(th.Dim, "in "), term.S(term.Plain, safe.Line(name)), term.S(th.Dim, ": "),
		term.S(th.Key, "#"+safe.Int(row.Request)), term.S(term.Plain, " "+what),
	}
	if leg.Inner > 0 && leg.Outer > 0 {
		line = append(line, term.S(th.Dim, ", "+term.Duration(leg.Inner)+" of "+term.Duration(leg.Outer)))
	}
	d.Add(append(line, term.S(th.Key, "   L"), term.S(th.Dim, " goes there"))...)
}

// narrowCard is the card where there is no room for two columns: what matters of
// everything in a line or two.
func (m *Message) narrowCard(sc *library.Scene, w, h int) []string {
	d := document.Doc{Width: w - 2}
	m.Outcome(&d, sc)
	d.Lines = d.Lines[:min(len(d.Lines), 2)]
	m.beside(&d, sc)
	verdict := document.Doc{Width: w - 4} // room for the sign that it goes on
	m.verdict(&verdict, sc, true)
	d.Lines = append(d.Lines, fitting(&verdict, sc, max(h-len(d.Lines)-2, 2)).Lines...)
	if args, _ := m.arguments(); len(args) > 2 && len(args) <= cardBytes && len(d.Lines)+1 < h {
		segs := append([]term.Seg{term.S(sc.Theme.Faint, "request  ")}, argument(sc, args)...)
		d.Lines = append(d.Lines, document.Line{Segs: segs})
	}
	if len(d.Lines) < h {
		one := document.Doc{}
		m.transport(&one, sc)
		d.Lines = append(d.Lines, one.Lines...)
	}
	return d.Draw(&sc.Screen, w, 1, 0, h)
}

// fitting is as much of a verdict as there is room for; a sentence that goes on
// says so.
func fitting(d *document.Doc, sc *library.Scene, h int) *document.Doc {
	if len(d.Lines) <= h {
		return d
	}
	last := d.Lines[len(d.Lines)-1]
	out := &document.Doc{Width: d.Width, Lines: append(d.Lines[:max(h-1, 0):max(h-1, 0)], last)}
	if k := h - 2; k >= 0 && k < len(d.Lines) {
		out.Lines[k].Segs = append(out.Lines[k].Segs[:len(out.Lines[k].Segs):len(out.Lines[k].Segs)],
			term.S(sc.Theme.Dim, " "+sc.Glyphs.Ellipsis))
	}
	return out
}

// beginnings are what was asked and what came back, each with a heading.
func (m *Message) beginnings(sc *library.Scene, w int) (request, response document.Doc) {
	request, response = document.Doc{Width: w}, document.Doc{Width: w}
	args, _ := m.arguments()
	if args == nil {
		args = m.asked.Raw
	}
	if m.OneSided() {
		m.beginAlone(&request, sc, args)
		return request, response
	}
	label(&request, sc, "request")
	begin(&request, sc, args)
	name := safe.Text("response")
	if m.Row.Status > 0 {
		name += " " + safe.Int(int(m.Row.Status))
	}
	label(&response, sc, name)
	switch m.said.Kind {
	case wire.MsgError:
		begin(&response, sc, m.said.Error)
	case wire.MsgResult:
		raw := m.said.Result
		if wire.Get(raw, "content") == nil || !m.items(&response, sc) {
			begin(&response, sc, raw)
		}
	default:
		if m.Row.Kind == session.RowCall && m.Row.Ending.Open() {
			response.Text(sc.Theme.Pend, "none so far")
		}
	}
	return request, response
}

// beginAlone adds what there is of a row without a response.
func (m *Message) beginAlone(d *document.Doc, sc *library.Scene, args []byte) {
	if args == nil {
		args = m.payload(m.Row.Request)
	}
	if len(args) == 0 {
		return
	}
	name := string(m.alonePart())
	label(d, sc, safe.Line(words.Fold(name[:1])+name[1:]))
	if args[0] == '{' && len(args) <= cardBytes {
		members(d, sc, args)
	} else {
		begin(d, sc, args)
	}
}

// items adds the content of a result and says whether there is any.
func (m *Message) items(d *document.Doc, sc *library.Scene) bool {
	n := len(d.Lines)
	wire.Items(wire.Get(m.said.Result, "content"), func(_ int, item []byte) bool {
		m.writeItem(d, sc, item)
		return len(d.Lines) < n+resultLines
	})
	return len(d.Lines) > n
}

// begin adds the members of an object, an object in an object in lines of its own.
func begin(d *document.Doc, sc *library.Scene, raw []byte) {
	if len(raw) == 0 {
		return
	}
	if len(raw) > cardBytes {
		d.Text(sc.Theme.Dim, amount(int64(len(raw)))+" of JSON")
		return
	}
	body := document.Doc{}
	body.Body(sc.Theme, raw, document.Unbroken)
	lines := body.Seen()
	if n := len(lines); n > 2 && raw[0] == '{' {
		lines = lines[1 : n-1]
	}
	d.Lines = append(d.Lines, lines...)
}

// columns draws two documents beside each other.
func columns(sc *library.Scene, left, right document.Doc, lw, rw int) []string {
	a, b := left.All(&sc.Screen, lw, 1), right.All(&sc.Screen, rw, 1)
	out := make([]string, 0, max(len(a), len(b)))
	for i := range max(len(a), len(b)) {
		out = append(out, at(a, i, lw)+at(b, i, rw))
	}
	return out
}

// at is a line of w cells, a blank one behind the last.
func at(lines []string, i, w int) string {
	if i < len(lines) {
		return lines[i]
	}
	return string(safe.Repeat(" ", w))
}
