package view

import (
	"midwire/ui/term"
)

// Batch is how many rows a view looks at before the keys get a turn.
const Batch = 20_000

// Scroller is a number of lines of which one is selected. Where nothing is
// selected, sel is the line at the top.
type Scroller struct {
	Sel, Top, Lines, Height int
	Page                    bool // nothing is selected: keys scroll
}

// Move goes n lines further.
func (s *Scroller) Move(n int) {
	if s.Page {
		s.Scroll(n)
		return
	}
	s.Sel = max(0, min(s.Sel+n, s.Lines-1))
	if s.Height > 0 {
		s.Top = term.Reveal(s.Top, s.Sel, s.Height, s.Lines)
	}
}

// Scroll moves what is seen and not the selection.
func (s *Scroller) Scroll(n int) {
	s.Top = max(0, min(s.Top+n, s.Lines-s.Height))
}

// Fit takes in how many lines there are, and how many can be seen.
func (s *Scroller) Fit(lines, height int) {
	grown := height != s.Height
	s.Lines, s.Height = lines, height
	s.Sel = max(0, min(s.Sel, lines-1))
	if grown && !s.Page {
		s.Top = max(min(s.Top, s.Sel), s.Sel-s.Height+1)
	}
	s.Scroll(0)
}

// Selected is the row that is selected, nil for none.
func Selected[R any](s *Scroller, rows []R) *R {
	if s.Sel < 0 || s.Sel >= len(rows) {
		return nil
	}
	return &rows[s.Sel]
}

// Select selects the first row of a kind, and nothing else where there is none. Where it is
// selected already nothing scrolls.
func Select[R any](s *Scroller, rows []R, is func(*R) bool) {
	for i := range rows {
		if is(&rows[i]) {
			if i != s.Sel {
				s.Sel = i
				s.Move(0)
			}
			return
		}
	}
}

// PickLine selects the line that was clicked; again says that it was selected
// before.
func (s *Scroller) PickLine(y int) (again, ok bool) {
	i := s.Top + y
	if y < 0 || i >= s.Lines || y >= s.Height {
		return false, false
	}
	again = s.Sel == i
	s.Sel = i
	return again, true
}

// Halves are a list and, below it or in its place, more about the line that is selected.
// One of them has the keys.
type Halves struct {
	Lines, Below Scroller
	Reading      bool // what is below has the keys
	BelowAt      int  // the line where it begins: behind the last where it is not shown
}

// Scroller implements View.
func (v *Halves) Scroller() *Scroller {
	if v.Reading {
		return &v.Below
	}
	return &v.Lines
}

// ScrollerAt implements Split.
func (v *Halves) ScrollerAt(_, y int) *Scroller {
	if y >= v.BelowAt {
		return &v.Below
	}
	return &v.Lines
}

// Turn gives the keys to the other half.
func (v *Halves) Turn() { v.Reading = !v.Reading }

// Back implements Backer: it leads from below to the list.
func (v *Halves) Back() bool {
	was := v.Reading
	v.Reading = false
	return was
}

// Rows draws a panel with a table that scrolls, below lines that stay.
func Rows[R any](
	p *term.Panel, t *term.Table[R], s *Scroller, n int, row func(int) R, w, h int, head ...string,
) []string {
	iw, ih := p.Inner(t.Screen, w, h)
	return p.Draw(t.Screen, w, h, append(head, Lines(t, s, n, row, iw, ih-len(head), p.Focus)...))
}

// Lines are the header of a table and as many of its rows as fit into h lines.
func Lines[R any](t *term.Table[R], s *Scroller, n int, row func(int) R, w, h int, focus bool) []string {
	t.Fit(w, n, row)
	var out []string
	if h > 1 && n > 0 {
		out = append(out, t.Header())
	}
	s.Fit(n, h-len(out))
	for i := s.Top; i < min(s.Top+s.Height, n); i++ {
		out = append(out, t.Row(row(i), i == s.Sel, focus))
	}
	return out
}
