package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// HexDump shows bytes as numbers: a heading for each part, and rows that are
// made when they are drawn. However many bytes there are, none is copied.
type HexDump struct {
	parts  []Part
	starts []int // first row of each part, and the number of rows at the end
	per    int   // bytes in a row
}

// NewHexDump shows these parts, which it does not copy.
func NewHexDump(ps []Part) *HexDump {
	x := &HexDump{parts: ps}
	x.fit(80)
	return x
}

const hexWide = 8 + 1 + 3*16 + 1 + 1 + 16 // cells of a row of sixteen bytes

// fit chooses sixteen or eight bytes for a row of w cells.
func (x *HexDump) fit(w int) {
	per := 16
	if w < hexWide {
		per = 8
	}
	if per == x.per {
		return
	}
	x.per, x.starts = per, []int{0}
	for i, p := range x.parts {
		n := x.starts[i] + (len(p.Data)+per-1)/per
		if p.Title+p.Absent != "" {
			n++
		}
		if i+1 < len(x.parts) {
			n++ // a blank row
		}
		x.starts = append(x.starts, n)
	}
}

func (x *HexDump) Rows() int { return x.starts[len(x.parts)] }

// Row draws one row.
func (x *HexDump) Row(l *term.Line, th *term.Theme, i int) {
	k := 0
	for k+1 < len(x.parts) && x.starts[k+1] <= i {
		k++
	}
	p := &x.parts[k]
	i -= x.starts[k]
	if p.Title+p.Absent != "" {
		if i--; i < 0 {
			l.Put(th.Dim, p.Title+p.Absent)
			return
		}
	}
	from := i * x.per
	if from >= len(p.Data) {
		return
	}
	b := p.Data[from:min(from+x.per, len(p.Data))]
	digits := 8
	if l.Max < 44 { // eight bytes fit, and a mebibyte
		digits = 5
	}
	l.Put(th.Dim, hexNumber(from, digits))
	for j := range x.per {
		if j == 8 {
			l.Gap(1)
		}
		if j >= len(b) {
			l.Gap(3)
			continue
		}
		l.Gap(1).Put(hexStyle(th, b[j]), hexNumber(int(b[j]), 2))
	}
	l.Gap(1)
	if digits == 8 {
		l.Gap(1)
	}
	var ascii strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' {
			c = '.'
		}
		ascii.WriteByte(c)
	}
	l.Put(term.Plain, safe.Line(ascii.String()))
}

// hexStyle tells what can be read from what cannot.
func hexStyle(th *term.Theme, c byte) term.Style {
	switch {
	case c == 0:
		return th.Dim
	case c < ' ' || c == 0x7f:
		return th.Warn
	case c > '~':
		return th.Note
	}
	return term.Plain
}

func hexNumber(n, digits int) safe.Text {
	const hex = "0123456789abcdef"
	b := make([]byte, digits)
	for i := digits - 1; i >= 0; i-- {
		b[i], n = hex[n&15], n>>4
	}
	return safe.Bytes(b)
}

// length is how many lines a document has.
func (d *Doc) length() int {
	if d.Hex != nil {
		return d.Hex.Rows()
	}
	return len(d.Lines)
}

func (d *Viewer) hexView(w, h int, sc *term.Screen) []string {
	x := d.Doc.Hex
	if was := x.per; w > 0 {
		if x.fit(w - 2); x.per != was { // the same bytes stay at the top
			d.top = d.top * was / x.per
		}
	}
	d.Scroll(0)
	out := make([]string, 0, h)
	for i := d.top; i < x.Rows() && len(out) < h; i++ {
		l := term.NewLine(w, sc.Glyphs).Gap(1)
		x.Row(l, sc.Theme, i)
		out = append(out, l.Finish())
	}
	return append(out, term.Blanks(h-len(out), w)...)
}
