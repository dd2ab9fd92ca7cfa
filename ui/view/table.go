package view

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

// Column is one column of a table.
type Column struct {
	Name   safe.Text
	W      int // cells; 0 leaves it out
	Before int // blanks before these
	After  int // blanks, the last of these
	Right  bool
	From   int // width of the table from which on there is room for it
}

// Table is columns beside each other. What is left of a line belongs to none.
type Table []Column

// NewTable leaves out the columns that a table of w cells has no room for.
func NewTable(w int, columns ...Column) Table {
	for i := range columns {
		if w < columns[i].From {
			columns[i].W = 0
		}
	}
	return columns
}

// Header writes the names of the columns.
func (t Table) Header(l *term.Line, st term.Style) *term.Line {
	r := t.Row(l)
	for i := range t {
		r.Put(st, t[i].Name)
	}
	return l
}

// Row begins the cells of a line.
func (t Table) Row(l *term.Line) *TableRow { return &TableRow{l, t} }

// TableRow writes one cell after the other.
type TableRow struct {
	l    *term.Line
	rest Table
}

// Put writes the next cell, unless its column is left out.
func (r *TableRow) Put(st term.Style, t safe.Text) *TableRow {
	return r.Draw(func(l *term.Line, c *Column) {
		if c.Right {
			l.Right(st, t, c.W)
		} else {
			l.PutMax(st, t, c.W-c.After)
		}
	})
}

// Draw has the next cell written, unless its column is left out.
func (r *TableRow) Draw(cell func(*term.Line, *Column)) *TableRow {
	c := &r.rest[0]
	r.rest = r.rest[1:]
	if c.W > 0 {
		end := r.l.Gap(c.Before).Used + c.W
		cell(r.l, c)
		r.l.Gap(end - r.l.Used)
	}
	return r
}

// List draws some lines, the title first, and below them as much of a list
// of n lines as there is room for.
func List(w, h int, head []string, s *Scroller, n int, line func(i int) string) []string {
	s.Fit(n, h-len(head))
	for i := s.Top; i < min(s.Top+s.Height, n); i++ {
		head = append(head, line(i))
	}
	return Page(w, h, head[0], head[1:])
}
