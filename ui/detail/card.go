package detail

import (
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// cardBytes is the longest payload whose beginning a card shows.
const cardBytes = 64 << 10

// leastSides is how many rows request and response need to be worth showing.
const leastSides = 7

// Card draws a message in h lines of w cells: what went wrong with it, or where it travelled and what
// it is evidence of; below that request and response beside each other, and what the server wrote
// meanwhile. Nothing of it scrolls.
func (m *Message) Card(sc *library.Scene, w, h int) []string {
	top, wide := document.Doc{Width: w - 2}, term.Wide(w)
	a := m.Account()
	switch {
	case a != nil:
		m.beside(&top, sc)
		if short := a.Short(); wide && h-len(top.Lines)-short.Rows(sc, top.Width) >= leastSides {
			a = short // what was seen is there to be read
		}
		a.Write(&top, sc, h-len(top.Lines))
		wide = wide && h-len(top.Lines) >= leastSides
	case wide:
		m.travelled(&top, sc)
		m.beside(&top, sc)
		m.evidenceOf(&top, sc)
	default:
		m.narrow(&top, sc)
	}
	out := top.Draw(&sc.Screen, w, 1, 0, h)
	switch {
	case !wide || len(out) >= h:
		return out
	case a != nil && a.Verdict.NamesCause():
		p := m.proofOf(a)
		p.Got = m.Got
		out = append(out, term.Section(&sc.Screen, w, []term.Seg{term.S(sc.Theme.Title, "Proof")}, nil))
		return append(out, p.Beside(sc, w, h-len(out))...)
	}
	left := w
	if !m.OneSided() {
		left = w / 2
	}
	request, response := m.bodies(sc, left-2, w-left-2, h-len(out)-1)
	sides := columns(sc, request, response, left, w-left)
	out = append(append(out, m.sidesHead(sc, left, w)), sides[:min(len(sides), h-len(out)-1)]...)
	if room := h - len(out); room > 1 {
		out = append(out, m.stderr(sc, w, room)...)
	}
	return out[:min(len(out), h)]
}

// proofOf is what proves the account of a message, whose cause is known: that of its own exchange where
// it is about that.
func (m *Message) proofOf(a *Account) Proof {
	f := library.Located{Rec: m.Rec, Finding: a.Verdict.Cause}
	at := append(slices.Clone(f.Shows), f.Frames...)
	mine := slices.IndexFunc(at, func(n uint64) bool { return m.Rec.RowAt(n) == m.ID })
	if len(at) == 0 {
		at = []uint64{uint64(m.Row.Request)}
	}
	return ProofOf(f, at[max(mine, 0)])
}

// CardFrames are those that the card of a message needs besides its own.
func CardFrames(rec *library.Recording, id int) []uint64 {
	m := MessageOf(rec, id, nil)
	if a := m.Account(); a != nil && a.Verdict.NamesCause() {
		p := m.proofOf(a)
		return p.Frames()
	}
	return nil
}

// travelled is what came of a message and where it travelled, in a line.
func (m *Message) travelled(d *document.Doc, sc *library.Scene) {
	sign, st := sc.Ending(m.Row)
	if sign == "" {
		sign, st = sc.Glyphs.Dot, sc.Theme.Dim
	}
	words := term.Plain
	if m.Row.Ending.Bad() {
		words = sc.Theme.Err
	}
	segs := []term.Seg{term.S(st, sign+" "), term.S(words, OutcomeText(m.Rec, m.Row)+"  ")}
	d.Add(append(segs, m.transport(sc, d.Width-term.SegsWidth(segs)))...)
}

// sidesHead is the line above request and response, which names them.
func (m *Message) sidesHead(sc *library.Scene, left, w int) string {
	th, h := sc.Theme, sc.Glyphs.H
	l := term.NewLine(w, sc.Glyphs)
	head := func(name safe.Text, n uint32, to int) {
		l.Put(th.Frame, h).Gap(1).Put(th.Title, name)
		if n > 0 {
			l.Put(th.Dim, " "+amount(int64(n)))
		}
		l.Gap(1).Fill(th.Frame, h, to)
	}
	if m.OneSided() {
		head(m.alonePart(), m.Row.Len, w)
		return l.Finish()
	}
	head("Request", m.Row.Len, left)
	head("Response", m.Row.RLen, w)
	return l.Finish()
}

// bodies are what was asked and what came back: all of the JSON where there is room for
// it, else what is telling of it.
func (m *Message) bodies(sc *library.Scene, left, right, room int) (request, response document.Doc) {
	body := func(n uint32, w int) (document.Doc, bool) {
		d := document.Doc{Width: w}
		raw := m.payload(n)
		if f := m.Got[uint64(n)]; len(raw) == 0 || len(raw) > cardBytes || !f.HoldsMessages() {
			return d, n == 0
		}
		d.Body(sc.Theme, raw, w)
		d.Compact()
		return d, len(d.Lines) <= room
	}
	if m.Row.Kind == session.RowHTTP {
		asked, came := m.wire(TabHeaders)
		request, response = document.Doc{Width: left}, document.Doc{Width: right}
		request.Append(sc.Theme, asked, left)
		response.Append(sc.Theme, came, right)
		return request, response
	}
	request, fits := body(m.Row.Request, left)
	if m.OneSided() {
		if !fits {
			request, _ = m.beginnings(sc, left)
		}
		return request, response
	}
	response, also := body(m.Row.Response, right)
	one, two := m.beginnings(sc, left)
	if !fits {
		request = one
	}
	if !also || m.Row.Response == 0 || m.Row.Response == m.Row.Request {
		response = two
	}
	return request, response
}

// stderr is what the server wrote on its standard error while the message was pending, in
// at most h lines.
func (m *Message) stderr(sc *library.Scene, w, h int) []string {
	t, row, n := m.Rec.Tracker, m.Row, 0
	d := document.Doc{}
	for i := m.ID + 1; i < min(t.Rows(), m.ID+eventScan); i++ {
		line := t.Row(i)
		if row.End > 0 && line.T > row.End || row.Kind != session.RowCall {
			break
		}
		if line.Kind != session.RowStderr || line.Session != row.Session {
			continue
		}
		st := sc.Theme.Dim
		if n++; n == 1 {
			st = sc.Theme.Err
		}
		if len(d.Lines) < h-1 {
			texts := m.Rec.Texts.Of(i)
			d.Lines = append(d.Lines, document.Line{Segs: []term.Seg{term.S(st, safe.Line(texts.Target))}})
		}
	}
	if n == 0 {
		return nil
	}
	head := term.NewLine(w, sc.Glyphs).Put(sc.Theme.Frame, sc.Glyphs.H).Gap(1).Put(sc.Theme.Title, "stderr")
	head.Put(sc.Theme.Dim, " of the server meanwhile, "+term.Count(n, "line")).Gap(1).Fill(sc.Theme.Frame, sc.Glyphs.H, w)
	return append([]string{head.Finish()}, d.All(&sc.Screen, w, 1)...)
}

// beside is what else must not be missed: what it waits for, what an error says more, that there is no
// MCP here, what the user wrote, where the message comes from.
func (m *Message) beside(d *document.Doc, sc *library.Scene) {
	m.waits(d, sc)
	m.otherLeg(d, sc)
	WriteRemark(d, sc, m.Rec, m.ID)
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

// narrow is the card where there is no room for two columns: what matters of everything in a line
// or two.
func (m *Message) narrow(d *document.Doc, sc *library.Scene) {
	if m.OneSided() {
		m.travelled(d, sc)
	} else {
		m.Outcome(d, sc)
	}
	d.Lines = d.Lines[:1]
	m.beside(d, sc)
	m.evidenceOf(d, sc)
	if args, _ := m.arguments(); len(args) > 2 && len(args) <= cardBytes {
		segs := append([]term.Seg{term.S(sc.Theme.Faint, "request  ")}, argument(sc, args)...)
		d.AddLike(document.Line{}, 9, segs...)
	}
	if !m.OneSided() {
		d.Add(m.transport(sc, d.Width))
	}
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
	begin(&request, sc, args)
	switch m.said.Kind {
	case wire.MsgError:
		code, text := safe.Int(int(m.Row.Code)), safe.Line(document.Readable(wire.Text(wire.Get(m.said.Error, "message"))))
		response.AddWire(2, []term.Seg{term.S(sc.Theme.Err, "  "+code+" "), term.S(sc.Theme.Err+term.Bold, text)})
		if data := wire.Get(m.said.Error, "data"); data != nil {
			response.AddWire(2, append([]term.Seg{term.S(sc.Theme.JSONKey, "  data ")}, argument(sc, data)...))
		}
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
	if args[0] == '{' && len(args) <= cardBytes {
		members(d, sc, args)
	} else {
		begin(d, sc, args)
	}
}

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
	if n := len(b) - len(a); n > 0 {
		a = append(a, term.Blanks(n, lw)...)
	}
	return term.Beside(a, append(b, term.Blanks(max(len(a)-len(b), 0), rw)...))
}
