package view

import (
	"midwire/ui/term"
)

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
