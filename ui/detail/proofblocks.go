package detail

import (
	"slices"
	"strings"

	"midwire/session"
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
	*Text
	side
	p    *Proof
	row  *session.Row // nil for none
	sent wire.Head    // its head, as far as it is there
	http bool
}

// Write adds the proof, a block for each side of an exchange, and returns the line at which the
// exchange itself begins.
func (p *Proof) Write(t *Text) (own int) {
	for i := range p.Sides {
		t.Part()
		if p.Sides[i].own && own == 0 {
			own = len(t.Lines)
		}
		p.block(t, p.Sides[i])
	}
	if p.lacksAnswer() {
		t.Part()
		t.Put(2, term.S(t.Scene.Theme.Dim, "  no response"))
	}
	if p.Bad != "" {
		t.Part()
		t.Put(2, term.S(t.Scene.Theme.Err, "  The bytes cannot be read: "+safe.Line(p.Bad)))
	}
	return own
}

func (p *Proof) block(t *Text, s side) {
	b := block{Text: t, side: s, p: p}
	if s.row >= 0 {
		b.row = p.Rec.Tracker.Row(s.row)
	}
	if f, ok := p.Got[b.head]; ok {
		b.sent, b.http = wire.ParseHead(f.Data)
	}
	b.title()
	b.writeHead()
	b.writeBody()
}

// lacksAnswer says that a call where the finding shows got no response.
func (p *Proof) lacksAnswer() bool {
	i := p.Rec.RowAt(p.At)
	if i < 0 || len(p.Sides) == 0 {
		return false
	}
	_, response := sides(p.Rec, i)
	return p.Rec.Tracker.Row(i).Kind == session.RowCall && response.n == 0
}

// Beside draws what the finding rests on at the left of the exchange where it shows; where it rests
// on no other, the request at the left of the response.
func (p *Proof) Beside(sc *library.Scene, w, h int) []string {
	left, right := NewText(sc, w/2), NewText(sc, w-w/2)
	rests := slices.ContainsFunc(p.Sides, func(s side) bool { return !s.own })
	p.Tight = h < roomyH
	for _, s := range p.Sides {
		if p.Rule.Header != "" && !s.own && !p.carries(s.head) {
			continue // it is about what others carry
		}
		t := &left
		if rests && s.own || !rests && s.answer {
			t = &right
		}
		t.Part()
		p.block(t, s)
	}
	out := columns(sc, left.Doc, right.Doc, w/2, w-w/2)
	return out[:min(len(out), h)]
}

// roomyH is how many lines show more of a head than what the finding is about.
const roomyH = 16

// carries says whether a head has the field that the finding is about.
func (p *Proof) carries(head uint64) bool {
	h, ok := wire.ParseHead(p.Got[head].Data)
	return ok && value(h, p.Rule.Header) != ""
}

// title writes the first line of a block: the frame, what it is, what is to be
// seen in it, when.
func (b *block) title() {
	th := b.Scene.Theme
	sign, st := b.Scene.Glyphs.Ok, th.Ok
	switch {
	case b.n == b.p.At || b.own && b.head == b.p.At:
		sign, st = b.Scene.Severity(b.p.Severity)
	case b.answer || b.row != nil && b.row.Response == 0: // what got none ended by itself
		if v, vs := b.Scene.Ending(b.row); v != "" {
			sign, st = v, vs
		}
	}
	name, kind := safe.Text("frame"), safe.Text("")
	if m := b.p.Rec.Frame(b.n); m != nil {
		name = safe.Line(m.Kind.String())
	}
	if b.row != nil {
		name = safe.Line(library.ShortMethod(b.row, b.p.Rec.Tracker.Name(b.row.Name)))
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
	m := b.p.Rec.Frame(b.n)
	switch {
	case m == nil:
		return ""
	case b.answer && b.own:
		return "+" + term.Duration(max(0, m.T-b.row.T))
	}
	return term.Seconds(max(0, m.T-b.Scene.BaseOf(b.p.Rec)))
}

func (b *block) role() (safe.Text, term.Style) {
	th, field := b.Scene.Theme, b.p.Rule.Header
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
	field := b.p.Rule.Header
	if strings.EqualFold(name, field) {
		return true
	}
	if field == "" || b.answer || !b.own || b.p.Tight {
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
	th, h := b.Scene.Theme, b.sent
	if h.Method != "" {
		b.Put(4, term.S(th.JSONKey, "  "+safe.Line(h.Method)), term.S(term.Plain, " "+safe.Line(h.Target)+" "+safe.Line(h.Proto)))
	} else {
		st := term.Plain
		if h.Status >= 400 {
			st = th.Err
		}
		b.Put(4, term.S(th.JSONKey, "  "+safe.Line(h.Proto)), term.S(st, " "+safe.Int(h.Status)+" "+safe.Line(h.Reason)))
	}
	field := b.p.Rule.Header
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
		if !b.p.Whole && !b.telling(f.Name) {
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
	th := b.Scene.Theme
	if !strings.EqualFold(f.Name, b.p.Rule.Header) {
		b.Put(6, term.S(th.Dim, "  "+safe.Line(f.Name)+": "), term.S(term.Plain, safe.Line(f.Value)))
		return
	}
	like, st := b.issued(), b.p.Rec.Hue(th, b.p.Session)+term.Underline
	switch {
	case b.own && !b.answer:
		like, st = b.Missing(), th.Err
	case !b.answer:
		like = document.Line{}
	}
	b.AddLike(like, 6, term.S(th.Dim, "  "+safe.Line(f.Name)+": "), term.S(st, safe.Line(f.Value)))
}

// writeMissing writes a field that is not there, with what it should say as far
// as another head of the proof has it.
func (b *block) writeMissing(name string) {
	th, want := b.Scene.Theme, safe.Text("")
	for _, one := range b.p.Sides {
		if f, ok := b.p.Got[one.head]; ok && one.answer {
			if h, ok := wire.ParseHead(f.Data); ok && value(h, name) != "" {
				want = term.ShortID(value(h, name), b.Scene.Glyphs)
			}
		}
	}
	like := b.Missing()
	like.Right = []term.Seg{th.Badge(th.Err, "missing")}
	b.AddLike(like, 6,
		term.S(th.Err, "  "+safe.Line(name)+":"), term.S(th.Err, " "+want))
}

func (b *block) writeBody() {
	th := b.Scene.Theme
	if b.body == 0 || !b.own && b.http && b.has(b.p.Rule.Header) && !b.p.Whole {
		return
	}
	f, ok := b.p.Got[b.body]
	if !ok {
		if m := b.p.Rec.Frame(b.body); m != nil && m.Len > maxRead {
			b.Put(2, term.S(th.Dim, "  "+term.Bytes(int(m.Len))+", enter shows the message"))
		} else if b.p.Bad == "" {
			b.Put(2, term.S(th.Dim, "  "+safe.Repeat(b.Scene.Glyphs.Dot, 24)))
		}
		return
	}
	raw := f.Data
	if f.HoldsMessages() {
		raw = b.p.Rec.Tracker.Payload(&f)
	}
	j := jsonText{Text: b.Text, whole: b.p.Whole}
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
	if b.n == b.p.At || b.body == b.p.At {
		return b.p.PlaceIn(b.p.At)
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
