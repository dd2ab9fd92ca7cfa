package ui

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

// column is one column of a table.
type column struct {
	name   safe.Text
	w      int // cells; 0 leaves it out
	before int // blanks before these
	after  int // blanks, the last of these
	right  bool
	from   int // width of the table from which on there is room for it
}

// table is columns beside each other. What is left of a line belongs to none.
type table []column

// newTable leaves out the columns that a table of w cells has no room for.
func newTable(w int, columns ...column) table {
	for i := range columns {
		if w < columns[i].from {
			columns[i].w = 0
		}
	}
	return columns
}

// header writes the names of the columns.
func (t table) header(l *term.Line, st term.Style) *term.Line {
	r := t.row(l)
	for i := range t {
		r.put(st, t[i].name)
	}
	return l
}

// row begins the cells of a line.
func (t table) row(l *term.Line) *tableRow { return &tableRow{l, t} }

// tableRow writes one cell after the other.
type tableRow struct {
	l    *term.Line
	rest table
}

// put writes the next cell, unless its column is left out.
func (r *tableRow) put(st term.Style, t safe.Text) *tableRow {
	return r.draw(func(l *term.Line, c *column) {
		if c.right {
			l.Right(st, t, c.w)
		} else {
			l.PutMax(st, t, c.w-c.after)
		}
	})
}

// draw has the next cell written, unless its column is left out.
func (r *tableRow) draw(cell func(*term.Line, *column)) *tableRow {
	c := &r.rest[0]
	r.rest = r.rest[1:]
	if c.w > 0 {
		end := r.l.Gap(c.before).Used + c.w
		cell(r.l, c)
		r.l.Gap(end - r.l.Used)
	}
	return r
}

// listPage draws some lines, the title first, and below them as much of a list
// of n lines as there is room for.
func listPage(w, h int, head []string, s *scroller, n int, line func(i int) string) []string {
	s.fit(n, h-len(head))
	for i := s.top; i < min(s.top+s.height, n); i++ {
		head = append(head, line(i))
	}
	return pageOf(w, h, head[0], head[1:])
}
