package ui

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
)

func itoa(n int) string { return strconv.Itoa(n) }

// line builds one row of cells of a fixed width. Whatever is put beyond the
// width is cut off with an ellipsis; finish fills up with blanks.
type line struct {
	b     strings.Builder
	w     int // cells so far
	max   int
	sg    *signs
	under style // added to every segment: the background of a selected row
	solo  bool  // show nothing but under
	last  style
}

func newLine(width int, sg *signs) *line {
	l := &line{max: max(width, 0), sg: sg}
	l.b.Grow(width + 64)
	return l
}

// selected makes the line a selected row.
func (l *line) selected(th *theme, focus bool) {
	l.under, l.solo = th.selDim, th.soloSel
	if focus {
		l.under = th.sel
	}
}

func (l *line) style(st style) {
	if l.solo && l.under != "" {
		st = ""
	}
	st += l.under
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

// put adds text, as much of it as fits.
func (l *line) put(st style, t safe.Text) *line { return l.putMax(st, t, l.max) }

// putMax adds text and cuts it at limit cells.
func (l *line) putMax(st style, t safe.Text, limit int) *line {
	room := min(l.max-l.w, limit)
	if t == "" || room <= 0 {
		return l
	}
	s := string(t)
	n := width(t)
	if n > room {
		s = cut(s, room, l.sg.ellipsis)
		n = width(safe.Text(s))
	}
	l.style(st)
	l.b.WriteString(s)
	l.w += n
	return l
}

// cell adds text in exactly n cells, aligned left.
func (l *line) cell(st style, t safe.Text, n int) *line {
	from := l.w
	l.putMax(st, t, n)
	return l.gap(n - (l.w - from))
}

// right adds text in exactly n cells, aligned right.
func (l *line) right(st style, t safe.Text, n int) *line {
	return l.gap(n-width(t)).putMax(st, t, n)
}

func (l *line) gap(n int) *line {
	n = min(n, l.max-l.w)
	if n <= 0 {
		return l
	}
	l.style("")
	for range n {
		l.b.WriteByte(' ')
	}
	l.w += n
	return l
}

// fill repeats a glyph of one cell up to column to.
func (l *line) fill(st style, glyph string, to int) *line {
	if to = min(to, l.max); to <= l.w {
		return l
	}
	l.style(st)
	for l.w < to {
		l.b.WriteString(glyph)
		l.w++
	}
	return l
}

// finish fills the line with blanks and returns it.
func (l *line) finish() string {
	l.gap(l.max - l.w)
	if l.last != "" {
		l.b.WriteString("\x1b[m")
	}
	return l.b.String()
}

// width is the number of cells text takes.
func width(t safe.Text) int {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return ansi.StringWidth(string(t))
		}
	}
	return len(t)
}

func cut(s string, room int, tail string) string {
	if room <= len(tail) && room < 2 {
		tail = ""
	}
	return ansi.Truncate(s, room, tail)
}

// blank returns n lines of w blanks.
func blanks(n, w int) []string {
	out := make([]string, max(n, 0))
	for i := range out {
		out[i] = strings.Repeat(" ", max(w, 0))
	}
	return out
}
