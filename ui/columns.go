package ui

import (
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// columns are the widths of the list's columns; 0 leaves one out. They are
// dropped from the right of the priority: verdict, number, direction, method,
// target, latency, time, id, size, status.
// The first cell of num is for the sign of a finding.
type columns struct {
	num, time, dir, method, status, id, latency, size int
}

// layColumns chooses the columns of a list of w cells, whose longest method
// takes natural cells.
func layColumns(w int, last uint64, natural int, tf term.TimeFormat, ascii, status, frames bool) columns {
	if natural = max(natural, len("method")); w >= 70 {
		natural = max(natural, 14) // the columns should not move with every new method
	}
	num := max(len(strconv.Itoa(int(last))), 3)
	switch { // the sign, and a blank behind it
	case w >= 90:
		num += 2
	case w >= 70 || num > 3:
		num++
	}
	c := columns{num: num, dir: 1, latency: 8, method: min(natural, 14)}
	if frames {
		c.latency, c.method, natural = 0, 9, 9
	}
	if ascii {
		c.dir = 2
	}
	used := 1 + c.num + 1 + c.dir + 1 + 1 + 1 + c.method + 1 + c.latency + margin
	take := func(col *int, n, keep int) {
		if w-used-n >= keep {
			*col += n
			used += n
		}
	}
	timeWidth := 9
	if tf == term.ClockTime {
		timeWidth = 13
	}
	take(&c.time, timeWidth, 20)
	take(&c.method, min(natural-c.method, 2), 40)
	take(&c.id, 5, 36)
	if status {
		take(&c.status, 5, 36)
	}
	take(&c.size, 7, 46)
	return c
}

const (
	margin            = 1  // left free at the right end
	wordsBeforeMethod = 34 // cells for words that no method may take
)

// right is how many cells the columns right of the words take.
func (c *columns) right() int { return c.status + c.id + c.latency + c.size + margin }

// drawRow writes one row into a line.
func drawRow(l *term.Line, sc *library.Scene, col *columns, c *cells, chosen bool) string {
	if chosen {
		l.Put(sc.Theme.Key, safe.Text(sc.Glyphs.Bar))
	} else {
		l.Gap(1)
	}
	l.Cell(c.foundSt, safe.Text(c.found), 1).Right(term.Plain, c.num, col.num-1)
	if col.time > 0 {
		l.Right(sc.Theme.Dim, c.time, col.time)
	}
	start := l.Used
	if c.marked {
		l.Put(sc.Theme.Warn+term.Bold, "*")
	}
	l.Gap(1-(l.Used-start)).Cell(c.dirSt, safe.Text(c.dir), col.dir)
	if c.commented {
		l.Put(sc.Theme.Note+term.Bold, ";")
	} else {
		l.Gap(1)
	}
	l.Cell(c.verdictSt, safe.Text(c.verdict), 1).Gap(1)
	room := col.method
	n := term.Width(c.method)
	if c.child {
		n += 2
	}
	if n > room && l.Max-col.right()-l.Used-n > wordsBeforeMethod {
		room = min(n, library.MaxMethod) // this row only: a long name is rare
	}
	if c.child && room > 8 {
		l.Put(sc.Theme.Frame, safe.Text(sc.Glyphs.Child)).Gap(1)
		room -= 2
	}
	l.Cell(c.methodSt, c.method, room).Gap(1)
	drawWords(l, sc, c, l.Max-margin-col.filled(sc.Theme, c)-1)
	return col.drawRight(l, sc, c)
}

// rightCell is one of the columns right of the words.
type rightCell struct {
	st term.Style
	t  safe.Text
	w  int
}

func (c *columns) cells(th *term.Theme, row *cells) [4]rightCell {
	return [4]rightCell{
		{statusStyle(th, row.status), row.status, c.status},
		{th.Dim, row.id, c.id},
		{row.latencySt, row.latency, c.latency},
		{th.Dim, row.size, c.size},
	}
}

// filled is how many cells the columns take that the words of a row may not
// reach into, because there is something in them.
func (c *columns) filled(th *term.Theme, row *cells) int {
	n := c.right() - margin
	for _, r := range c.cells(th, row) {
		if r.t != "" && r.w > 0 {
			return max(n-r.w+min(r.w, term.Width(r.t)), 0)
		}
		n -= r.w
	}
	return 0
}

// drawRight writes the columns right of the words, as far as they are free.
func (c *columns) drawRight(l *term.Line, sc *library.Scene, row *cells) string {
	at := l.Max - c.right()
	for _, r := range c.cells(sc.Theme, row) {
		at += r.w
		if r.w > 0 && r.t != "" {
			n := min(r.w, term.Width(r.t))
			l.Gap(at-n-l.Used).PutMax(r.st, r.t, n)
		}
	}
	return l.Finish()
}

// drawWords writes target → result up to column end. The result is what one
// looks for: where there is not room for both the target gives way, down to
// its first word when something failed.
func drawWords(l *term.Line, sc *library.Scene, c *cells, end int) {
	room := end - l.Used
	arrow := safe.Text(" " + sc.Glyphs.Arrow + " ")
	has := term.Width(c.target)
	switch {
	case c.result == "" || room < 22 && c.target != "" && !c.failed:
		l.PutMax(term.Plain, c.target, room)
		return
	case c.target == "" || room < 22:
		l.PutMax(c.resultSt, c.result, room)
		return
	}
	least := room * 2 / 5
	if c.failed {
		first, _, _ := strings.Cut(string(c.target), " ")
		least = min(term.Width(safe.Text(first))+1, room/3)
		if has <= 8 {
			least = has
		}
	}
	l.PutMax(term.Plain, c.target, min(has, max(room-term.Width(c.result)-term.Width(arrow), least)))
	l.PutMax(sc.Theme.Dim, arrow, end-l.Used)
	l.PutMax(c.resultSt, c.result, end-l.Used)
}

func statusStyle(th *term.Theme, s safe.Text) term.Style {
	if s != "" && s[0] >= '4' {
		return th.Err
	}
	return th.Dim
}

// drawColumns writes the names of the columns.
func drawColumns(l *term.Line, th *term.Theme, col *columns, of *list) string {
	name := func(t safe.Text, by sortBy) safe.Text {
		if o := &of.order; o.on && o.by == by {
			if by == byLatency {
				t = "lat "
			}
			t += safe.Text(by.direction(l.Glyphs, o.reverse))
		}
		return t
	}
	l.Gap(1).Right(th.Dim, name("#", byNumber), col.num)
	if col.time > 0 {
		l.Right(th.Dim, "time", col.time)
	}
	method, target, id := safe.Text("method"), safe.Text("target / result"), safe.Text("id")
	if of.frames {
		method, target, id = "kind", "bytes", "x"
	}
	l.Gap(col.dir+2).Cell(th.Dim, name("", byVerdict), 1).Gap(1).Cell(th.Dim, name(method, byMethod), col.method).Gap(1)
	l.Put(th.Dim, target).Gap(l.Max - col.right() - l.Used)
	if col.status > 0 {
		l.Right(th.Dim, "http", col.status)
	}
	if col.id > 0 {
		l.Right(th.Dim, id, col.id)
	}
	if col.latency > 0 {
		l.Right(th.Dim, name("latency", byLatency), col.latency)
	}
	if col.size > 0 {
		l.Right(th.Dim, name("size", bySize), col.size)
	}
	return l.Finish()
}
