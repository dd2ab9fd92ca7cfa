package messages

import (
	"strings"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/library"
	"midwire/ui/term"
)

// NewRow begins a line of the list. Where there is no bar, the selected row has a
// sign.
func (c *Columns) NewRow(sc *library.Scene, look *Look, chosen bool) *term.Line {
	if !c.bar {
		return sc.Row(look.Width, chosen, look.Focus)
	}
	l := term.NewLine(look.Width, sc.Glyphs)
	if chosen {
		l.Selected(sc.Theme, look.Focus)
	}
	return l
}

// DrawRow writes a row into a line.
func DrawRow(l *term.Line, sc *library.Scene, col *Columns, c *Cells) string {
	if col.bar {
		l.Put(c.hue, sc.Glyphs.Edge)
	}
	l.Gap(1-l.Used).Cell(c.FoundSt, c.Found, 1).Right(sc.Theme.Dim, c.Num, col.num)
	if col.time > 0 {
		l.Gap(gap).Right(sc.Theme.Dim, c.time, col.time)
	}
	if col.session > 0 {
		l.Gap(gap).Cell(c.hue, c.session, col.session)
	}
	mark := safe.Text(" ")
	if c.Marked {
		mark = "*"
	}
	l.Put(sc.Theme.Warn+term.Bold, mark).Cell(c.DirSt, c.Dir, col.dir)
	note := safe.Text(" ")
	if c.commented {
		note = ";"
	}
	l.Put(sc.Theme.Note+term.Bold, note).Cell(c.VerdictSt, c.Verdict, 1).Gap(1)
	if col.frames {
		l.Cell(c.MethodSt, c.Method, col.method).Gap(1).PutMax(term.Plain, c.more, col.result)
		return col.drawRight(l, sc, c)
	}
	if col.method > 0 {
		from := l.Used
		col.drawMethod(l, sc, c, col.method)
		l.Gap(from + col.method + gap - l.Used)
	}
	col.drawWords(l, sc, c)
	return col.drawRight(l, sc, c)
}

// drawMethod writes the method, of what belongs to another row behind a branch.
func (c *Columns) drawMethod(l *term.Line, sc *library.Scene, row *Cells, room int) {
	if row.child && room > 8 {
		l.Put(sc.Theme.Frame, sc.Glyphs.Child).Gap(1)
		room -= 2
	}
	c.put(l, sc, row.MethodSt, row.Method, room)
}

// put writes what a message says itself, with the places that the filter found
// lit.
func (c *Columns) put(l *term.Line, sc *library.Scene, st term.Style, t safe.Text, room int) {
	if c.Hit == "" || room <= 0 {
		l.PutMax(st, t, room)
		return
	}
	t = term.Shorten(t, room, sc.Glyphs)
	low := words.Fold(string(t))
	for {
		i := strings.Index(low, c.Hit)
		if i < 0 {
			break
		}
		l.Put(st, t[:i]).Put(st+sc.Theme.Hit, t[i:i+len(c.Hit)])
		t, low = t[i+len(c.Hit):], low[i+len(c.Hit):]
	}
	l.Put(st, t)
}

// drawWords writes what is called with what, and what came of it: in columns, but
// for words that are not about a tool, which take the room of those that are
// empty.
func (c *Columns) drawWords(l *term.Line, sc *library.Scene, row *Cells) {
	from := l.Used
	end := from + c.tool + gap + c.result
	last := from + c.tool + gap // where the result begins
	if c.arguments > 0 {
		last += c.arguments + gap
		end += c.arguments + gap
	}
	words := row.more
	switch {
	case row.name != "":
		room := c.tool
		if words == "" && row.Result == "" {
			room = end - from
		} else if words == "" {
			room = last - gap - from
		}
		c.put(l, sc, term.Bold, row.name, room)
		l.Gap(from + c.tool + gap - l.Used)
	case c.method == 0:
		c.drawMethod(l, sc, row, c.tool)
		l.Gap(from + c.tool + gap - l.Used)
	}
	st := term.Plain
	if row.name != "" {
		st = sc.Theme.JSONString
	}
	switch {
	case row.Result == "" && row.touched == "":
		c.put(l, sc, st, words, end-l.Used)
	case c.arguments > 0 || row.name == "" && c.method > 0 && term.Width(words) <= c.tool:
		c.put(l, sc, st, words, last-gap-l.Used)
		l.Gap(last - l.Used)
		c.putResult(l, sc, row, end)
	default:
		c.drawShared(l, sc, row, st, end)
	}
}

// drawShared writes arguments and result into one column: the value of the
// argument first, which gives way to the result.
func (c *Columns) drawShared(l *term.Line, sc *library.Scene, row *Cells, st term.Style, end int) {
	words := row.more
	if _, value, ok := strings.Cut(string(words), "="); ok && row.name != "" {
		words = safe.Line(value)
	}
	room := end - l.Used
	if row.touched != "" {
		room -= term.Width(row.touched) + 1
	}
	if row.failed && term.Width(words)+1+term.Width(row.Result) > room {
		words = "" // arguments give way
	}
	if words != "" && room >= 16 {
		least := room * 2 / 5
		c.put(l, sc, st, words, min(term.Width(words), max(room-term.Width(row.Result)-1, least)))
		l.Gap(1)
	}
	c.putResult(l, sc, row, end)
}

// putResult writes what came of a row, behind what the gate did to it.
func (c *Columns) putResult(l *term.Line, sc *library.Scene, row *Cells, end int) {
	if row.touched != "" {
		l.PutMax(sc.Theme.Warn+term.Bold, row.touched, end-l.Used).Gap(min(1, end-l.Used))
	}
	c.put(l, sc, row.resultSt, row.Result, end-l.Used)
}

// drawRight writes the columns right of the words.
func (c *Columns) drawRight(l *term.Line, sc *library.Scene, row *Cells) string {
	th := sc.Theme
	at := l.Max - Margin
	for _, n := range []int{c.status, c.id, c.latency, c.size} {
		if n > 0 {
			at -= n + gap
		}
	}
	for _, r := range []struct {
		st term.Style
		t  safe.Text
		w  int
	}{
		{StatusStyle(th, row.status), row.status, c.status},
		{th.Dim, row.id, c.id},
		{row.LatencySt, row.Latency, c.latency},
		{th.Dim, row.size, c.size},
	} {
		if r.w > 0 {
			at += gap + r.w
			n := min(r.w, term.Width(r.t))
			l.Gap(at-n-l.Used).PutMax(r.st, r.t, n)
		}
	}
	return l.Finish()
}

// StatusStyle is the style of an HTTP status.
func StatusStyle(th *term.Theme, s safe.Text) term.Style {
	if s != "" && s[0] >= '4' {
		return th.Err
	}
	return th.Dim
}
