package findings

import (
	"slices"
	"strings"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// block is one side of an exchange in words and bytes.
type block struct {
	*text
	side
	p    *proof
	s    *spot
	row  *session.Row // nil for none
	sent wire.Head    // its head, as far as it is there
	http bool
}

// write writes the proof: a block for each side of an exchange, in order of time.
func (p *proof) write(t *text, s *spot) {
	p.own = 0
	for i := range p.sides {
		t.blank()
		b := block{text: t, side: p.sides[i], p: p, s: s}
		if b.side.row >= 0 {
			b.row = s.Rec.Tracker.Row(b.side.row)
		}
		if f, ok := p.got[b.head]; ok {
			b.sent, b.http = wire.ParseHead(f.Data)
		}
		if b.own && p.own == 0 {
			p.own = len(t.Lines)
		}
		b.title()
		b.writeHead()
		b.writeBody()
	}
	if s.lacksAnswer(p) {
		t.blank()
		t.add(2, term.S(t.sc.Theme.Dim, "  no response"))
	}
	if p.bad != "" {
		t.blank()
		t.add(2, term.S(t.sc.Theme.Err, "  The bytes cannot be read: "+safe.Line(p.bad)))
	}
}

// lacksAnswer says that a call where the finding shows got no response.
func (s *spot) lacksAnswer(p *proof) bool {
	i := s.Rec.RowAt(s.n)
	if i < 0 || len(p.sides) == 0 {
		return false
	}
	row := s.Rec.Tracker.Row(i)
	_, response := sides(s.Rec, i)
	return row.Kind == session.RowCall && response.n == 0
}

// title writes the first line of a block: the frame, what it is, what is to be
// seen in it, when.
func (b *block) title() {
	th := b.sc.Theme
	sign, st := b.sc.Glyphs.Ok, th.Ok
	switch {
	case b.n == b.s.n || b.own && b.head == b.s.n:
		sign, st = b.sc.Severity(b.s.Severity)
	case b.answer || b.row != nil && b.row.Response == 0: // what got none ended by itself
		if v, vs := b.sc.Ending(b.row); v != "" {
			sign, st = v, vs
		}
	}
	name, kind := safe.Text("frame"), safe.Text("")
	if m := b.s.Rec.Frame(b.n); m != nil {
		name = safe.Line(m.Kind.String())
	}
	if b.row != nil {
		name = safe.Line(library.ShortMethod(b.row, b.s.Rec.Tracker.Name(b.row.Name)))
		if b.answer {
			kind = " response"
		}
	}
	if b.answer && b.own {
		name, kind = "response", ""
	}
	role, roleSt := b.role()
	right := []term.Seg{term.S(roleSt, role), term.S(th.Dim, padded(b.when(), 10))}
	b.AddLike(document.Line{Right: right}, 2,
		term.S(st, sign+" "), term.S(th.Key, "#"+safe.Int(b.n)), term.S(term.Bold, "  "+name), term.S(th.Dim, kind))
}

func padded(t safe.Text, n int) safe.Text { return safe.Repeat(" ", n-term.Width(t)) + t }

// when is the time of a block: of a response how long it took.
func (b *block) when() safe.Text {
	m := b.s.Rec.Frame(b.n)
	switch {
	case m == nil:
		return ""
	case b.answer && b.own:
		return "+" + term.Duration(max(0, m.T-b.row.T))
	}
	return term.Seconds(max(0, m.T-b.sc.BaseOf(b.s.Rec)))
}

func (b *block) role() (safe.Text, term.Style) {
	th, field := b.sc.Theme, b.s.Rule.Header
	what := safe.Text("id")
	if field != mcp.HeaderSessionID {
		what = safe.Line(field)
	}
	has := b.http && field != "" && b.has(field)
	switch {
	case b.answer && b.row.Status >= 400:
		return "refused", th.Err
	case b.answer && b.row.Ending.IsError():
		return "failed", th.Err
	case b.http && field != "" && b.lacks(field):
		return what + " left out", th.Err
	case has && b.answer && !b.own:
		return what + " issued", th.Ok
	case has && b.own && !b.answer:
		return what + " sent", th.Dim
	}
	return "", term.Plain
}

func (b *block) has(name string) bool { return value(b.sent, name) != "" }

func (b *block) lacks(name string) bool { return b.own && !b.answer && !b.has(name) }

func value(h wire.Head, name string) string {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// telling says whether a field of a head is shown where others are folded.
func (b *block) telling(name string) bool {
	field := b.s.Rule.Header
	if strings.EqualFold(name, field) {
		return true
	}
	if field == "" || b.answer || !b.own || b.p.drawn.tight {
		return false
	}
	low := words.Fold(name)
	return slices.Contains([]string{"host", "origin", "accept", "user-agent", "authorization"}, low) ||
		strings.HasPrefix(low, "mcp-")
}

// writeHead writes an HTTP head, what does not matter folded, what is missing in
// its place.
func (b *block) writeHead() {
	if !b.http {
		return
	}
	th, h := b.sc.Theme, b.sent
	if h.Method != "" {
		b.add(4, term.S(th.JSONKey, "  "+safe.Line(h.Method)), term.S(term.Plain, " "+safe.Line(h.Target)+" "+safe.Line(h.Proto)))
	} else {
		st := term.Plain
		if h.Status >= 400 {
			st = th.Err
		}
		b.add(4, term.S(th.JSONKey, "  "+safe.Line(h.Proto)), term.S(st, " "+safe.Int(h.Status)+" "+safe.Line(h.Reason)))
	}
	field := b.s.Rule.Header
	lacks := field != "" && b.lacks(field)
	var folded []wire.Field
	flush := func() {
		if len(folded) > 1 {
			b.folded(0, len(folded), "header")
		} else if len(folded) > 0 {
			b.writeField(folded[0])
		}
		folded = folded[:0]
	}
	for _, f := range h.Fields {
		if !b.p.whole && !b.telling(f.Name) {
			folded = append(folded, f)
			continue
		}
		flush()
		if lacks && strings.EqualFold(f.Name, mcp.HeaderVersion) {
			b.writeMissing(field)
			lacks = false
		}
		b.writeField(f)
	}
	flush()
	if lacks {
		b.writeMissing(field)
	}
}

func (b *block) writeField(f wire.Field) {
	th := b.sc.Theme
	if !strings.EqualFold(f.Name, b.s.Rule.Header) {
		b.add(6, term.S(th.Dim, "  "+safe.Line(f.Name)+": "), term.S(term.Plain, safe.Line(f.Value)))
		return
	}
	like, st := b.issued(), b.s.Rec.Hue(th, b.s.Session)+term.Underline
	switch {
	case b.own && !b.answer:
		like, st = b.missing(), th.Err
	case !b.answer:
		like = document.Line{}
	}
	b.AddLike(like, 6, term.S(th.Dim, "  "+safe.Line(f.Name)+": "), term.S(st, safe.Line(f.Value)))
}

// writeMissing writes a field that is not there, with what it should say as far
// as another head of the proof has it.
func (b *block) writeMissing(name string) {
	th, want := b.sc.Theme, safe.Text("")
	for _, one := range b.p.sides {
		if f, ok := b.p.got[one.head]; ok && one.answer {
			if h, ok := wire.ParseHead(f.Data); ok && value(h, name) != "" {
				want = term.ShortID(value(h, name), b.sc.Glyphs)
			}
		}
	}
	like := b.missing()
	like.Right = []term.Seg{th.Badge(th.Err, "missing")}
	b.AddLike(like, 6,
		term.S(th.Err, "  "+safe.Line(name)+":"), term.S(th.Err, " "+want))
}

func (b *block) writeBody() {
	th := b.sc.Theme
	if b.body == 0 || !b.own && b.http && b.has(b.s.Rule.Header) && !b.p.whole {
		return
	}
	f, ok := b.p.got[b.body]
	if !ok {
		if m := b.s.Rec.Frame(b.body); m != nil && m.Len > maxRead {
			b.add(2, term.S(th.Dim, "  "+term.Bytes(int(m.Len))+", enter shows the message"))
		} else if b.p.bad == "" {
			b.add(2, term.S(th.Dim, "  "+safe.Repeat(b.sc.Glyphs.Dot, 24)))
		}
		return
	}
	raw := f.Data
	if f.HoldsMessages() {
		raw = b.s.Rec.Tracker.Payload(&f)
	}
	j := jsonText{text: b.text, whole: b.p.whole}
	if b.answer && b.row.Ending.IsError() {
		j.bad = failure(raw)
	}
	if place := b.place(); place != "" && j.fold(raw, place) {
		return
	}
	j.compact(raw)
}

// place is the JSON Pointer to what is wrong in the message, "" for none.
func (b *block) place() string {
	if b.n == b.s.n || b.body == b.s.n {
		return b.s.PlaceIn(b.s.n)
	}
	return ""
}

// failure is the text that says why a response is a failure, nil for none.
func failure(raw []byte) []byte {
	if text := wire.Get(raw, "error", "message"); text != nil {
		return text
	}
	var text []byte
	wire.Items(wire.Get(raw, "result", "content"), func(_ int, one []byte) bool {
		text = wire.Get(one, "text")
		return text == nil
	})
	return text
}

func severityStyle(sc *library.Scene, s diagnose.Severity) term.Style {
	_, st := sc.Severity(s)
	return st
}
