// Package document lays out and shows what is read line by line: text in styles,
// bytes from the wire broken at the width of a pane, JSON as a tree that folds, and
// bytes as numbers. Build makes a Doc of bytes and is pure, so that a command can
// run it; a Viewer scrolls one, with a cursor, folds and found text.
package document

import (
	"bytes"
	"slices"
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// Line is one line of a document on the screen: either segments, or text
// from the wire with the marks of safe.Marked in it.
type Line struct {
	Segs []term.Seg
	raw  string
	json bool  // raw is JSON, to be coloured
	in   lexer // where in the JSON the line begins: a string may be wrapped
	goes int   // 1 + bytes of indentation before what continues the line above; 0 for a line of its own
	node int32 // 1 + the JSON value that the line is of; 0 for none

	Ground term.Style // of the whole line
	Bar    term.Seg   // in the margin
	Right  []term.Seg // at the right edge
	Link   string     // the URL of what is underlined in the segments, "" for none
	wire   bool       // segments are from the wire, not words of ours
	to     uint64     // the frame that the line leads to, 0 for none
	num    int32      // of the line in the unfolded JSON, 0 for none
}

func (dl *Line) fromWire() bool { return dl.wire || dl.raw != "" }

// Doc is what a tab of the detail pane shows.
type Doc struct {
	Width int // segments are wrapped here; 0 for no limit
	Lines []Line

	leads  bool // lines lead to frames
	gutter int  // cells for the numbers of lines of JSON, 0 for none

	// Of JSON, that can be folded: nil for anything else.
	Nodes   []jsonNode
	Sources []source
	Folds   *folds
}

// Add adds a line, which continues below itself when it is too long.
func (d *Doc) Add(segs ...term.Seg) { d.AddIndented(2, segs) }

// AddIndented is Add with another indentation of what continues the line.
func (d *Doc) AddIndented(indent int, segs []term.Seg) {
	lines := [][]term.Seg{segs}
	if d.Width > 0 {
		lines = wrap(segs, d.Width, indent)
	}
	for _, one := range lines {
		d.Lines = append(d.Lines, Line{Segs: one})
	}
}

// Card is a line of a card: what AddLike adds to it stands beside a bar that says how bad
// it is.
func Card(sc *term.Screen, st term.Style) Line {
	return Line{Segs: []term.Seg{term.S(st, sc.Glyphs.Card+" ")}}
}

// AddLike is AddIndented for lines like another: on its ground, each behind what that
// begins with. What stands at its right stands there on the first of them.
func (d *Doc) AddLike(like Line, indent int, segs ...term.Seg) {
	in := Doc{Width: d.Width - term.SegsWidth(like.Segs)}
	if n := term.SegsWidth(like.Right); n > 0 && term.SegsWidth(segs)+n+2 > in.Width {
		in.Width -= n + 2
	}
	in.Width = max(in.Width, 8)
	in.AddIndented(indent, segs)
	for _, one := range in.Lines {
		next := like
		next.Segs = append(slices.Clip(like.Segs), one.Segs...)
		d.Lines, like.Right = append(d.Lines, next), nil
	}
}

// AddAtMost is AddLike for at most n lines, and says whether that is all of it: the last ends
// with an ellipsis where it is not.
func (d *Doc) AddAtMost(n int, sg *term.Glyphs, like Line, indent int, segs ...term.Seg) bool {
	from := len(d.Lines)
	d.AddLike(like, indent, segs...)
	if len(d.Lines) <= from+n {
		return true
	}
	if d.Lines = d.Lines[:from+n]; n > 0 {
		last := &d.Lines[from+n-1].Segs
		end := &(*last)[len(*last)-1]
		room := d.Width - term.SegsWidth(*last) + term.Width(end.Text)
		end.Text = term.ShortenWords(end.Text+" "+sg.Ellipsis, min(room, term.Width(end.Text)+term.Width(sg.Ellipsis)), sg)
	}
	return false
}

// AddWire is AddIndented for what is from the wire.
func (d *Doc) AddWire(indent int, segs []term.Seg) {
	n := len(d.Lines)
	d.AddIndented(indent, segs)
	for i := n; i < len(d.Lines); i++ {
		d.Lines[i].wire = true
	}
}

// Blank adds an empty line.
func (d *Doc) Blank() { d.Lines = append(d.Lines, Line{}) }

// Text adds a text in one style.
func (d *Doc) Text(st term.Style, t safe.Text) { d.Add(term.S(st, t)) }

// Field adds a name and what it has, in a column of eleven cells.
func (d *Doc) Field(th *term.Theme, name safe.Text, segs ...term.Seg) {
	pad := safe.Repeat(" ", max(1, 11-len(name)))
	d.AddIndented(11, append([]term.Seg{term.S(th.Dim, name+pad)}, segs...))
}

const maxShown = 2 << 20 // bytes of one payload that are laid out

// Wrapped adds text from the wire, one line for each of its lines, broken
// where the pane ends.
func (d *Doc) Wrapped(th *term.Theme, data []byte, w int) {
	more := 0
	if len(data) > maxShown {
		more = len(data) - maxShown
		data = data[:maxShown]
	}
	for len(data) > 0 {
		var one []byte
		if before, after, ok := bytes.Cut(data, []byte{'\n'}); ok {
			one, data = before, after
		} else {
			one, data = data, nil
		}
		d.WrapLine(safe.Marked(string(one)), w, false)
	}
	if more > 0 {
		d.Text(th.Warn, term.Size(int64(more))+" more are in the recording and not shown here")
	}
}

// WrapLine breaks one marked line at w cells. Continued lines keep the
// indentation of the first, up to a third of the width.
func (d *Doc) WrapLine(s string, w int, isJSON bool) {
	w = max(w, 8)
	indent := 0
	for indent < len(s) && s[indent] == ' ' {
		indent++
	}
	pad := strings.Repeat(" ", min(indent+2, w/3))
	var lex lexer
	for first := true; first || s != ""; first = false {
		room, prefix := w, ""
		if !first {
			room, prefix = w-len(pad), pad
		}
		s = parted(s, room)
		n := Fit(s, room)
		one := Line{raw: prefix + s[:n], json: isJSON, in: lex}
		if !first {
			one.goes = 1 + len(prefix)
		}
		d.Lines = append(d.Lines, one)
		if isJSON && n < len(s) {
			lex.skip(s[:n])
		}
		s = s[n:]
	}
}

// parted splits a stand-in at the beginning of marked text in two when it is
// wider than w cells. Only those that are written as escapes are: ASCII.
func parted(s string, w int) string {
	if s == "" || s[0] != safe.MarkOn {
		return s
	}
	end := strings.IndexByte(s, safe.MarkOff)
	if end < 0 || term.Width(safe.Unmarked(s[1:end])) <= w {
		return s
	}
	return s[:1+w] + string(rune(safe.MarkOff)) + string(rune(safe.MarkOn)) + s[1+w:]
}

// Fit is how many bytes of marked text fill at most w cells; at least one
// character, and marks are never parted from what they mark.
func Fit(s string, w int) int {
	cells := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c == safe.MarkOn {
			end := i + strings.IndexByte(s[i:], safe.MarkOff) + 1
			cells += term.Width(safe.Unmarked(s[i+1 : end-1]))
			if cells > w && i > 0 {
				return i
			}
			i = end
			continue
		}
		n, cw := 1, 1
		if c >= 0x80 || i+1 < len(s) && s[i+1] >= 0x80 {
			n, cw = term.Cluster(s[i:])
			n = max(n, 1)
			if k := strings.IndexByte(s[i:i+n], safe.MarkOn); k > 0 {
				n = k
			}
		}
		if cells += cw; cells > w && i > 0 {
			return i
		}
		i += n
	}
	return len(s)
}

// Draw draws at most n lines from one on, w cells each, with a margin at the left.
func (d *Doc) Draw(sc *term.Screen, w, margin, from, n int) (out []string) {
	for i := from; i < min(from+n, len(d.Lines)); i++ {
		l := term.NewLine(w, sc.Glyphs).On(d.Lines[i].Ground)
		l.Put(d.Lines[i].Bar.Style, d.Lines[i].Bar.Text).Gap(margin - l.Used)
		d.Lines[i].drawWith(&Pen{L: l, Th: sc.Theme})
		out = append(out, l.Finish())
	}
	return out
}

// Compact puts the brackets that close values behind what they close. A document that was
// made compact does not fold.
func (d *Doc) Compact() {
	out := d.Lines[:0]
	for _, dl := range d.Lines {
		end := strings.TrimSpace(dl.raw)
		if n := len(out); n > 0 && end != "" && strings.Trim(end, "]},") == "" && out[n-1].raw != "" {
			space := ""
			if end[0] == '}' {
				space = " "
			}
			out[n-1].raw += space + end
			continue
		}
		out = append(out, dl)
	}
	d.Lines, d.Nodes, d.Folds = out, nil, nil
}

// Plain is the text without styles, for people to paste.
func (d *Doc) Plain() string {
	var b strings.Builder
	for i := range d.Lines {
		for _, s := range d.Lines[i].Segs {
			b.WriteString(string(s.Text))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// All is Draw of every line.
func (d *Doc) All(sc *term.Screen, w, margin int) []string {
	return d.Draw(sc, w, margin, 0, len(d.Lines))
}

func (dl *Line) drawWith(p *Pen) {
	for _, s := range dl.Segs {
		if dl.Link != "" && strings.HasSuffix(string(s.Style), string(term.Underline)) {
			p.L.PutLink(s.Style, s.Text, dl.Link)
			continue
		}
		p.put(s.Style, s.Text)
	}
	if n := term.SegsWidth(dl.Right); n > 0 {
		p.L.Gap(p.L.Max - 1 - n - p.L.Used).Segs(dl.Right)
	}
	if dl.raw == "" {
		return
	}
	if !dl.json {
		p.Marked(term.Plain, dl.raw)
		return
	}
	lex := dl.in
	lex.colour(dl.raw, func(st jsonPart, piece string) { p.Marked(st.style(p.Th), piece) })
}
