// Package term is how the screen writes cells: a Line of fixed width over text
// that is safe, the theme (colours by role), the glyphs, and numbers in few cells.
// It knows nothing of MCP. Nothing but safe.Text can be put on a Line.
package term

import (
	"slices"
	"strings"

	"midwire/session/safe"
)

// Seg is a piece of text in one style.
type Seg struct {
	Style Style
	Text  safe.Text
	Rank  uint8 // how far down it is in importance: those of 0 are always shown
}

// S makes a segment.
func S(st Style, t safe.Text) Seg { return Seg{Style: st, Text: t} }

// Spare are segments that give way where there is not room for all: those of the
// highest rank first.
func Spare(rank uint8, segs ...Seg) []Seg {
	for i := range segs {
		segs[i].Rank = rank
	}
	return segs
}

// Fitting are the segments that there is room for in so many cells, as far as they can
// give way.
func Fitting(segs []Seg, room int) []Seg {
	for SegsWidth(segs) > room {
		var worst uint8
		for _, s := range segs {
			worst = max(worst, s.Rank)
		}
		if worst == 0 {
			break
		}
		segs = slices.DeleteFunc(slices.Clone(segs), func(s Seg) bool { return s.Rank == worst })
	}
	return segs
}

// Line builds one row of cells of a fixed width. Whatever is put beyond the
// width is cut off with an ellipsis; finish fills up with blanks.
type Line struct {
	b      strings.Builder
	Used   int // cells so far
	Max    int
	Glyphs *Glyphs
	Under  Style // added to every segment: the ground of the row
	Solo   bool  // show nothing but under
	Cursor int   // column of the cursor of the Input in it, 0 for none
	last   Style
	theme  *Theme // of a selected row, nil for others
}

// NewLine begins a line of so many cells.
func NewLine(width int, sg *Glyphs) *Line {
	l := &Line{Max: max(width, 0), Glyphs: sg}
	l.b.Grow(width + 64)
	return l
}

// Selected makes the line a selected row.
func (l *Line) Selected(th *Theme, focus bool) {
	l.Under, l.Solo, l.theme = th.SelDim, th.SoloSel, th
	if focus {
		l.Under = th.sel
	}
}

// On gives the line a ground: one of the theme's styles for it.
func (l *Line) On(ground Style) *Line {
	l.Under = ground
	return l
}

func (l *Line) style(st Style) {
	if l.Solo && l.Under != "" {
		st = ""
	}
	if th := l.theme; th != nil && st != "" && (st == th.Dim || st == th.Faint) {
		st = th.dimSel
	}
	st += l.Under
	if st == l.last {
		return
	}
	l.b.WriteString("\x1b[")
	if st == "" {
		l.b.WriteString("m")
	} else {
		l.b.WriteString("0" + string(st) + "m")
	}
	l.last = st
}

// Put adds text, as much of it as fits.
func (l *Line) Put(st Style, t safe.Text) *Line { return l.PutMax(st, t, l.Max) }

// PutMax adds text and cuts it at limit cells.
func (l *Line) PutMax(st Style, t safe.Text, limit int) *Line {
	room := min(l.Max-l.Used, limit)
	if t == "" || room <= 0 {
		return l
	}
	n := Width(t)
	if n > room {
		t = Cut(t, room, l.Glyphs.Ellipsis)
		n = Width(t)
	}
	l.style(st)
	l.b.WriteString(string(t))
	l.Used += n
	return l
}

// Segs adds segments one after the other.
func (l *Line) Segs(segs []Seg) *Line {
	for _, s := range segs {
		l.Put(s.Style, s.Text)
	}
	return l
}

// Hint adds a key and what it does.
func (l *Line) Hint(th *Theme, key, what safe.Text) *Line {
	return l.Gap(1).Put(th.Key, key).Gap(1).Put(th.Dim, what).Gap(1)
}

// Cell adds text in exactly n cells, aligned left.
func (l *Line) Cell(st Style, t safe.Text, n int) *Line {
	from := l.Used
	l.PutMax(st, t, n)
	return l.Gap(n - (l.Used - from))
}

// Right adds text in exactly n cells, aligned right.
func (l *Line) Right(st Style, t safe.Text, n int) *Line {
	return l.Gap(n-Width(t)).PutMax(st, t, n)
}

// Gap adds n blanks, as many as fit.
func (l *Line) Gap(n int) *Line {
	n = min(n, l.Max-l.Used)
	if n <= 0 {
		return l
	}
	l.style("")
	for range n {
		l.b.WriteByte(' ')
	}
	l.Used += n
	return l
}

// Fill repeats a glyph of one cell up to column to.
func (l *Line) Fill(st Style, glyph safe.Text, to int) *Line {
	if to = min(to, l.Max); to <= l.Used {
		return l
	}
	l.style(st)
	for l.Used < to {
		l.b.WriteString(string(glyph))
		l.Used++
	}
	return l
}

// Finish fills the line with blanks and returns it.
func (l *Line) Finish() string {
	l.Gap(l.Max - l.Used)
	if l.last != "" {
		l.b.WriteString("\x1b[m")
	}
	return l.b.String()
}

// SegsWidth is the number of cells that segments take.
func SegsWidth(segs []Seg) (n int) {
	for _, s := range segs {
		n += Width(s.Text)
	}
	return n
}

// Cut shortens a text to at most n cells; tail is the last of them, where there
// is room for more than it.
func Cut(t safe.Text, n int, tail safe.Text) safe.Text {
	if Width(t) <= n {
		return t
	}
	if n <= len(tail) && n < 2 {
		tail = ""
	}
	return t[:bytesIn(t, n-Width(tail))] + tail
}

// CutLeft leaves out at least the first n cells of a text, and puts lead in
// their place.
func CutLeft(t safe.Text, n int, lead safe.Text) safe.Text {
	if n <= 0 {
		return t
	}
	at := bytesIn(t, n)
	if Width(t[:at]) < n && at < len(t) { // a wide character stands across the edge
		bytes, _ := Cluster(string(t[at:]))
		at += bytes
	}
	return lead + t[at:]
}

// bytesIn is how many bytes of a text fit into n cells.
func bytesIn(t safe.Text, n int) int {
	at := 0
	for at < len(t) {
		bytes, w := Cluster(string(t[at:]))
		if n -= w; n < 0 || bytes == 0 {
			break
		}
		at += bytes
	}
	return at
}

// blank returns n lines of w blanks.
func Blanks(n, w int) []string {
	out := make([]string, max(n, 0))
	for i := range out {
		out[i] = strings.Repeat(" ", max(w, 0))
	}
	return out
}

// Shorten cuts a text to n cells, with an ellipsis where something was left out.
func Shorten(t safe.Text, n int, sg *Glyphs) safe.Text {
	return Cut(t, n, sg.Ellipsis)
}

// ShortenWords cuts a sentence to n cells at the end of a word, with an ellipsis.
func ShortenWords(t safe.Text, n int, sg *Glyphs) safe.Text {
	if Width(t) <= n {
		return t
	}
	cut := Cut(t, n-Width(sg.Ellipsis), "")
	if i := strings.LastIndexByte(string(cut), ' '); i > len(cut)/3 && len(cut) < len(t) && t[len(cut)] != ' ' {
		cut = cut[:i]
	}
	return safe.Text(cut) + sg.Ellipsis
}

func joined(all []safe.Text, between safe.Text) int {
	n := (len(all) - 1) * Width(between)
	for _, s := range all {
		n += Width(s)
	}
	return n
}

// CrumbsWidth is how many cells all of the texts take as crumbs.
func CrumbsWidth(g *Glyphs, all []safe.Text) int { return joined(all, " "+g.Crumb+" ") }

// Crumbs says where we are, up to column end. Where there is not room for all of it the
// beginning gives way.
func (l *Line) Crumbs(th *Theme, all []safe.Text, end int) {
	crumb := " " + l.Glyphs.Crumb + " "
	room := end - l.Used
	for len(all) > 1 && joined(all, crumb) > room {
		all = all[1:]
		room = end - l.Used - Width(l.Glyphs.Ellipsis+crumb)
	}
	if room < end-l.Used {
		l.PutMax(th.Dim, l.Glyphs.Ellipsis+crumb, end-l.Used)
	}
	for i, s := range all {
		st := th.Title
		if i == len(all)-1 && i > 0 {
			st = th.Dim
		}
		l.PutMax(st, s, end-l.Used)
		if i < len(all)-1 {
			l.PutMax(th.Dim, crumb, end-l.Used)
		}
	}
}

// PutLink adds text that leads to a URL, as far as the terminal knows links
// (OSC 8). The URL is one of ours, never from the wire.
func (l *Line) PutLink(st Style, t safe.Text, url string) *Line {
	if t == "" || l.Used >= l.Max {
		return l
	}
	l.style(st)
	l.b.WriteString("\x1b]8;;" + url + "\x1b\\")
	l.Put(st, t)
	l.b.WriteString("\x1b]8;;\x1b\\")
	return l
}

// ShortID shortens a session id to its ends.
func ShortID(id string, sg *Glyphs) safe.Text {
	s := safe.Line(id)
	if Width(s) <= 11 {
		return s
	}
	return Cut(s, 4+Width(sg.Ellipsis), sg.Ellipsis) + CutLeft(s, Width(s)-4, "")
}
