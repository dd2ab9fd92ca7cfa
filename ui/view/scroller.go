package view

import "midwire/ui/term"

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
