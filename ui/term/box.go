package term

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"midwire/session/safe"
)

// Border is the frame of boxes in these glyphs.
func (g *Glyphs) Border() lipgloss.Border {
	if g.ascii {
		return lipgloss.ASCIIBorder()
	}
	return lipgloss.RoundedBorder()
}

// Panel is the frame around a part of the screen: a box where there is room for
// boxes, else a line above it. Either carries the name at the left and what can
// be said of the part at the right.
type Panel struct {
	Name, State []Seg
	Foot        []Seg // on the lower edge of a box
	Focus       bool  // the part has the keys
	Frame       Style // of the frame, "" for that of the theme
}

// Panel makes a panel with a name, and something at the right of its upper edge.
func (t *Theme) Panel(name safe.Text, state ...Seg) *Panel {
	return &Panel{Name: []Seg{S(t.Title, name)}, State: state}
}

// Inner is how many cells and lines are left in a panel of w by h.
func (p *Panel) Inner(sc *Screen, w, h int) (int, int) {
	if sc.Boxed {
		return max(w-2, 0), max(h-2, 0)
	}
	return max(w, 0), max(h-1, 0)
}

// Origin is where the inside of a panel begins.
func (p *Panel) Origin(sc *Screen) (x, y int) {
	if sc.Boxed {
		return 1, 1
	}
	return 0, 1
}

// Draw draws the panel around lines of the width that Inner says: exactly h
// lines of w cells. Missing lines are blank, what is too much is left out.
func (p *Panel) Draw(sc *Screen, w, h int, body []string) []string {
	if h <= 0 {
		return nil
	}
	st := sc.Theme.Frame
	if p.Focus {
		st = sc.Theme.Focus
	}
	if p.Frame != "" {
		st = p.Frame
	}
	iw, ih := p.Inner(sc, w, h)
	b := sc.Glyphs.Border()
	left, right := "", ""
	out := make([]string, 0, h)
	if sc.Boxed {
		right = NewLine(1, sc.Glyphs).Put(st, safe.Line(b.Right)).Finish()
		left = NewLine(1, sc.Glyphs).Put(st, safe.Line(b.Left)).Finish()
		out = append(out, p.edge(sc, st, w, b.TopLeft, b.TopRight, p.Name, p.State))
	} else {
		out = append(out, p.edge(sc, st, w, b.Top, b.Top, p.Name, p.State))
	}
	blank := strings.Repeat(" ", iw)
	for i := range ih {
		line := blank
		if i < len(body) {
			line = body[i]
		}
		out = append(out, left+line+right)
	}
	if sc.Boxed && h > 1 {
		out = append(out, p.edge(sc, st, w, b.BottomLeft, b.BottomRight, nil, p.Foot))
	}
	return out
}

// edge draws an upper or lower edge. What stands at its right gives way where
// there is not room for both.
func (p *Panel) edge(sc *Screen, st Style, w int, first, last string, name, state []Seg) string {
	h := safe.Line(sc.Glyphs.Border().Top)
	l := NewLine(w, sc.Glyphs).Put(st, safe.Line(first))
	if len(name) > 0 {
		if sc.Boxed {
			l.Put(st, h)
		}
		l.Gap(1)
		for _, s := range Fitting(name, w-3-l.Used) {
			l.PutMax(s.Style, s.Text, w-3-l.Used)
		}
		l.Gap(1)
	}
	state = Fitting(state, w-4-l.Used)
	if n := SegsWidth(state); n > 0 && l.Used+n+4 <= w {
		l.Fill(st, h, w-n-4).Gap(1).Segs(state).Gap(1)
	}
	return l.Fill(st, h, w-1).Put(st, safe.Line(last)).Finish()
}

// Section draws a line that parts a panel in two: from frame to frame, with a
// name at its left and something at its right.
func Section(sc *Screen, w int, name, state []Seg) string {
	l := NewLine(w, sc.Glyphs).Put(sc.Theme.Frame, sc.Glyphs.H).Gap(1)
	l.Segs(name).Gap(1)
	if n := SegsWidth(state); n > 0 && l.Used+n+4 <= w {
		l.Fill(sc.Theme.Frame, sc.Glyphs.H, w-n-4).Gap(1).Segs(state).Gap(1)
	}
	return l.Fill(sc.Theme.Frame, sc.Glyphs.H, w).Finish()
}

// Box draws a frame of w cells around lines of w-2 cells: a title at the left of
// its upper edge, and a note at the right of it.
func Box(th *Theme, g *Glyphs, title, note safe.Text, lines []string, w int) []string {
	p := Panel{Focus: true}
	if title != "" {
		p.Name = []Seg{S(th.Title, title)}
	}
	if note != "" {
		p.State = []Seg{S(th.Dim, note)}
	}
	return p.Draw(&Screen{Theme: th, Glyphs: g, Boxed: true}, w, len(lines)+2, lines)
}

// Beside puts lines at the right of others, which are as wide as they are.
func Beside(left, right []string) []string {
	out := slices.Clone(left)
	for i, line := range right {
		if i == len(out) {
			out = append(out, "")
		}
		out[i] += line
	}
	return out
}

// Over puts a block of lines over a screen, its upper left corner at x, y. Lines keep
// their width.
func Over(screen, block []string, x, y int) []string {
	x = max(x, 0)
	out := slices.Clone(screen)
	from, to := max(y, 0), min(y+len(block), len(screen))
	if from >= to {
		return out
	}
	count := Counting()
	for i := from; i < to; i++ {
		line := out[i]
		all := count.StringWidth(line)
		above := cut(block[i-y], max(all-x, 0))
		end := x + count.StringWidth(above)
		left, right := cut(line, x), count.TruncateLeft(line, end, "")
		for from := end + 1; count.StringWidth(right) > all-end; from++ { // it keeps what stands across the edge
			right = count.TruncateLeft(line, from, "")
		}
		out[i] = left + gap(x-count.StringWidth(left)) + above + gap(all-end-count.StringWidth(right)) + right
	}
	return out
}

// cut is at most n cells of a line with its styles. Truncate lets a line pass that has no
// more graphemes than that, however the terminal counts: blanks behind it prevent that.
func cut(line string, n int) string {
	if Counting().StringWidth(line) <= n {
		return line
	}
	return Counting().Truncate(line+strings.Repeat(" ", n+1), n, "")
}

// gap is n blanks without a style: of a wide character that stood across an edge.
func gap(n int) string { return "\x1b[m" + strings.Repeat(" ", max(n, 0)) }
