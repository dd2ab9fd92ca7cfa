package messages

import (
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Columns are the widths of the list's columns; 0 leaves one out. They are
// dropped from the right of the priority: verdict, number, direction, method,
// target, latency, time, id, size, status.
// The first cell of num is for the sign of a finding.
type Columns struct {
	num, time, dir, method, status, id, latency, size int
}

// LayColumns chooses the columns of a list of w cells, whose longest method
// takes natural cells.
func LayColumns(w int, last uint64, natural int, tf term.TimeFormat, ascii, status, frames bool) Columns {
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
	c := Columns{num: num, dir: 1, latency: 8, method: min(natural, 14)}
	if frames {
		c.latency, c.method, natural = 0, 9, 9
	}
	if ascii {
		c.dir = 2
	}
	used := 1 + c.num + 1 + c.dir + 1 + 1 + 1 + c.method + 1 + c.latency + Margin
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
	Margin            = 1  // left free at the right end
	wordsBeforeMethod = 34 // cells for words that no method may take
)

// right is how many cells the columns right of the words take.
func (c *Columns) right() int { return c.status + c.id + c.latency + c.size + Margin }

// DrawRow writes the rest of a row into a line.
func DrawRow(l *term.Line, sc *library.Scene, col *Columns, c *Cells) string {
	l.Cell(c.FoundSt, c.Found, 1).Right(term.Plain, c.Num, col.num-1)
	if col.time > 0 {
		l.Right(sc.Theme.Dim, c.time, col.time)
	}
	start := l.Used
	if c.Marked {
		l.Put(sc.Theme.Warn+term.Bold, "*")
	}
	l.Gap(1-(l.Used-start)).Cell(c.DirSt, c.Dir, col.dir)
	if c.commented {
		l.Put(sc.Theme.Note+term.Bold, ";")
	} else {
		l.Gap(1)
	}
	l.Cell(c.VerdictSt, c.Verdict, 1).Gap(1)
	room := col.method
	n := term.Width(c.Method)
	if c.child {
		n += 2
	}
	if n > room && l.Max-col.right()-l.Used-n > wordsBeforeMethod {
		room = min(n, library.MaxMethod) // this row only: a long name is rare
	}
	if c.child && room > 8 {
		l.Put(sc.Theme.Frame, sc.Glyphs.Child).Gap(1)
		room -= 2
	}
	l.Cell(c.MethodSt, c.Method, room).Gap(1)
	drawWords(l, sc, c, l.Max-Margin-col.filled(sc.Theme, c)-1)
	return col.drawRight(l, sc, c)
}

// rightCell is one of the columns right of the words.
type rightCell struct {
	st term.Style
	t  safe.Text
	w  int
}

func (c *Columns) rightCells(th *term.Theme, row *Cells) [4]rightCell {
	return [4]rightCell{
		{StatusStyle(th, row.status), row.status, c.status},
		{th.Dim, row.id, c.id},
		{row.LatencySt, row.Latency, c.latency},
		{th.Dim, row.size, c.size},
	}
}

// filled is how many cells the columns take that the words of a row may not
// reach into, because there is something in them.
func (c *Columns) filled(th *term.Theme, row *Cells) int {
	n := c.right() - Margin
	for _, r := range c.rightCells(th, row) {
		if r.t != "" && r.w > 0 {
			return max(n-r.w+min(r.w, term.Width(r.t)), 0)
		}
		n -= r.w
	}
	return 0
}

// drawRight writes the columns right of the words, as far as they are free.
func (c *Columns) drawRight(l *term.Line, sc *library.Scene, row *Cells) string {
	at := l.Max - c.right()
	for _, r := range c.rightCells(sc.Theme, row) {
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
func drawWords(l *term.Line, sc *library.Scene, c *Cells, end int) {
	room := end - l.Used
	arrow := " " + sc.Glyphs.Arrow + " "
	has := term.Width(c.Target)
	switch {
	case c.Result == "" || room < 22 && c.Target != "" && !c.failed:
		l.PutMax(term.Plain, c.Target, room)
		return
	case c.Target == "" || room < 22:
		l.PutMax(c.resultSt, c.Result, room)
		return
	}
	least := room * 2 / 5
	if c.failed {
		first, _, _ := strings.Cut(string(c.Target), " ")
		least = min(term.Width(safe.Line(first))+1, room/3)
		if has <= 8 {
			least = has
		}
	}
	l.PutMax(term.Plain, c.Target, min(has, max(room-term.Width(c.Result)-term.Width(arrow), least)))
	l.PutMax(sc.Theme.Dim, arrow, end-l.Used)
	l.PutMax(c.resultSt, c.Result, end-l.Used)
}

// StatusStyle is the style of an HTTP status.
func StatusStyle(th *term.Theme, s safe.Text) term.Style {
	if s != "" && s[0] >= '4' {
		return th.Err
	}
	return th.Dim
}

// DrawHeadings writes the names of the columns.
func DrawHeadings(l *term.Line, th *term.Theme, col *Columns, of *List) string {
	name := func(t safe.Text, by Column) safe.Text {
		if o := &of.Order; o.On && o.By == by {
			if by == byLatency {
				t = "lat "
			}
			t += by.direction(l.Glyphs, o.Reverse)
		}
		return t
	}
	l.Gap(1).Right(th.Dim, name("#", ByNumber), col.num)
	if col.time > 0 {
		l.Right(th.Dim, "time", col.time)
	}
	method, target, id := safe.Text("method"), safe.Text("target / result"), safe.Text("id")
	if of.RawFrames {
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
