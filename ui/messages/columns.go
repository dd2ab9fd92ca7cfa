package messages

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/term"
)

// Columns are those of the list on a screen.
type Columns struct {
	*term.Table[*Cells]
	sc    *library.Scene
	hit   string // found text to light, in lower case
	apart bool   // arguments have a column, and do not stand before the result
	timed bool   // the last column is the axis of time
	axis  axis
}

// Plan is what columns are made for.
type Plan struct {
	Width  int
	Last   uint64 // the largest number
	Time   int    // cells of the longest time
	Names  int    // cells of the longest name of a session, 0 for no such column
	Widths library.Widths
	HTTP   bool
	Bars   bool // when things happened is drawn at the end of a row, where there is room
	Result int  // cells of the longest result on the screen
}

const (
	Margin = 1  // left free at the right end
	most   = 18 // cells of a tool's name
	bars   = 24 // cells that are free beside whole results where when things happened is drawn
)

type column = term.Column[*Cells]

// LayColumns chooses the columns of a list.
func LayColumns(sc *library.Scene, p *Plan) *Columns {
	c := &Columns{sc: sc, Table: &term.Table[*Cells]{Screen: &sc.Screen, Tight: true}}
	c.Lead = func(r *Cells) (term.Style, term.Seg) {
		if r.idle > 0 {
			return term.NoBar, term.Seg{}
		}
		return r.hue, term.S(r.FoundSt, r.Found)
	}
	c.columns(p)
	c.Fit(p.Width, 0, nil)
	c.apart = c.Shows("ARGUMENTS")
	if i := c.index("RESULT"); p.Bars && c.apart && c.Cells(i) >= p.Result+bars+2 {
		for k := range c.Columns {
			if col := &c.Columns[k]; col.Flex > 0 {
				col.Min, col.Flex = c.Cells(k), 0
			}
		}
		c.Columns[i].Min = max(p.Result, len("RESULT"))
		c.timed = true
		c.add(column{Min: bars, Flex: 1, Gap: 1, Draw: func(l *term.Line, r *Cells) { c.axis.draw(l, sc, r) }})
		c.Fit(p.Width, 0, nil)
	}
	return c
}

func (c *Columns) index(head safe.Text) int {
	return slices.IndexFunc(c.Columns, func(col column) bool { return col.Head == head })
}

func (c *Columns) add(col column) { c.Columns = append(c.Columns, col) }

func (c *Columns) columns(p *Plan) {
	th, num := c.sc.Theme, max(len(strconv.Itoa(int(p.Last))), 3)
	c.add(column{Head: "#", Min: num, Right: true, Over: c.idle, Draw: func(l *term.Line, r *Cells) {
		c.number(l, r, num)
	}})
	c.add(column{Head: "TIME", Min: p.Time, Rank: 1, Gap: 1, Right: true, Cell: func(r *Cells) term.Seg {
		return term.S(th.Dim, r.time)
	}})
	if p.Names > 0 {
		most := min(p.Names, 16)
		c.add(column{Head: "SESSION", Min: 7, Need: p.Names, Max: most, Rank: 3, Gap: 1, Cell: func(r *Cells) term.Seg {
			return term.S(r.hue, r.session)
		}})
	}
	c.add(column{Min: 3 + term.Width(c.sc.Glyphs.Req), Draw: c.signs})
	size := column{Head: "SIZE", Min: 6, Rank: 6, Right: true, Gap: 1, Cell: func(r *Cells) term.Seg {
		return term.S(th.Dim, r.size)
	}}
	c.words(p)
	if term.Wide(p.Width - 60) {
		c.add(size)
	}
	c.add(column{Head: "LATENCY", Min: 7, Rank: 1, Right: true, Gap: 1, Cell: func(r *Cells) term.Seg {
		return term.S(r.LatencySt, r.Latency)
	}})
}

// words adds the columns of what was asked, and what came of it.
func (c *Columns) words(p *Plan) {
	wants := 1 // of what is left, for the arguments
	if p.Widths.Arguments > 12 {
		wants = 2
	}
	c.add(column{Head: "TOOL", Min: 8, Need: p.Widths.Tool, Max: most, Draw: c.tool})
	c.add(column{
		Head: "ARGUMENTS", Min: 10, Flex: wants, Rank: 4, Gap: 1, Over: alone, Draw: c.arguments,
	})
	c.add(column{Head: "RESULT", Min: 12, Flex: 3, Gap: 1, Draw: c.result})
	if p.HTTP && term.Wide(p.Width-60) {
		c.add(column{Head: "HTTP", Min: 4, Rank: 6, Gap: 1, Right: true, Cell: func(r *Cells) term.Seg {
			return term.S(StatusStyle(c.sc.Theme, r.status), r.status)
		}})
	}
}

// alone is how many columns behind it the words of a row take that has no result.
func alone(r *Cells) int {
	if r.Result == "" && r.touched == "" {
		return 1
	}
	return 0
}

// headings is the line with the names of the columns: that by which the list is ordered
// has a sign, and bars have the time after each place where time is left out.
func (c *Columns) headings(o *Order) string {
	for i := range c.Columns {
		col := &c.Columns[i]
		if name := col.Head; o.On && name == o.By.heading() {
			sign := c.sc.Glyphs.Falling
			if col.Head = name + sign; term.Width(col.Head) > c.Cells(i) {
				col.Head = term.Cut(name, c.Cells(i)-1, "") + sign
			}
		}
	}
	if c.timed {
		c.Columns[len(c.Columns)-1].Head = c.axis.times()
	}
	return c.Header()
}

// idle is how many columns the line of idle time takes besides its own: all but the bars.
func (c *Columns) idle(r *Cells) int {
	if r.idle == 0 {
		return 0
	}
	if c.timed {
		return len(c.Columns) - 2
	}
	return len(c.Columns) - 1
}

// number draws the number of a row, or in a line of its own how long nothing happened.
func (c *Columns) number(l *term.Line, r *Cells, n int) {
	th, sg := c.sc.Theme, c.sc.Glyphs
	if r.idle == 0 {
		l.Right(th.Dim, r.Num, n)
		return
	}
	l.Fill(th.Frame, sg.Idle, l.Used+16).Gap(1).Put(th.Dim, term.Duration(r.idle)+" idle").Gap(1)
	l.Fill(th.Frame, sg.Idle, l.Max-1)
}

// signs draws which way a row went and what came of it, and whether it has a comment.
func (c *Columns) signs(l *term.Line, r *Cells) {
	note := safe.Text(" ")
	if r.commented {
		note = ";"
	}
	l.Gap(1).Cell(r.DirSt, r.Dir, term.Width(c.sc.Glyphs.Req))
	l.Put(c.sc.Theme.Note+term.Bold, note).Put(r.VerdictSt, r.Verdict)
}

// tool draws what is called: a tool, else the method, of what belongs to another row
// behind a branch.
func (c *Columns) tool(l *term.Line, r *Cells) {
	if r.called {
		c.put(l, term.Bold, r.name)
		return
	}
	if r.child {
		l.Put(c.sc.Theme.Frame, c.sc.Glyphs.Child)
	}
	c.put(l, c.sc.Theme.Dim, r.Method)
}

func (c *Columns) arguments(l *term.Line, r *Cells) {
	st := term.Plain
	if r.called {
		st = c.sc.Theme.JSONString
	}
	c.put(l, st, r.more)
}

// result draws what came of a row, behind what the gate did to it, and behind the first
// argument where those have no column.
func (c *Columns) result(l *term.Line, r *Cells) {
	end := l.Max
	if r.touched != "" {
		l.Put(c.sc.Theme.Warn+term.Bold, r.touched).Gap(1)
	}
	if !c.apart && r.more != "" {
		if _, value, ok := strings.Cut(string(r.more), "="); ok && r.called {
			r.more = safe.Line(value)
		}
		l.Max -= min(term.Width(r.Result)+1, (end-l.Used)*3/5)
		if r.failed && l.Max-l.Used < term.Width(r.more) {
			l.Max = l.Used // arguments give way
		}
		c.arguments(l, r)
		if l.Max = end; r.Result != "" && l.Used > 0 {
			l.Gap(1)
		}
	}
	c.put(l, r.resultSt, r.Result)
}

// put writes what a message says itself in what is left of the cell, with the places
// that the filter found lit.
func (c *Columns) put(l *term.Line, st term.Style, t safe.Text) {
	room := l.Max - l.Used
	if c.hit == "" || room <= 0 {
		l.Put(st, t)
		return
	}
	t = term.Shorten(t, room, c.sc.Glyphs)
	for low := words.Fold(string(t)); ; {
		i := strings.Index(low, c.hit)
		if i < 0 {
			break
		}
		l.Put(st, t[:i]).Put(st+c.sc.Theme.Hit, t[i:i+len(c.hit)])
		t, low = t[i+len(c.hit):], low[i+len(c.hit):]
	}
	l.Put(st, t)
}

// StatusStyle is the style of an HTTP status.
func StatusStyle(th *term.Theme, s safe.Text) term.Style {
	if s != "" && s[0] >= '4' {
		return th.Err
	}
	return th.Dim
}

const menuWidth = 44 // cells of a choice

// SortMenu offers the orders of the list.
func (l *List) SortMenu(sc *term.Screen) *menu.Menu {
	c := &menu.Menu{Title: "Sort by", Names: 13, Each: menuWidth}
	for _, o := range []struct {
		by   Column
		key  string
		note safe.Text
	}{
		{byLatency, "l", "the slowest first"},
		{bySize, "s", "the largest first"},
		{ByNumber, "t", "as it came"},
	} {
		name := safe.Line(o.by.String())
		on := func() bool { return o.by == l.Order.By && (l.Order.On || l.Order.Wanted || o.by == ByNumber) }
		if o.by == ByNumber {
			name = "time"
		} else if on() {
			name += " " + sc.Glyphs.Falling
		}
		if on() {
			c.Select(len(c.Items))
		}
		run := keymap.Do(func() { l.OrderBy(o.by) })
		c.Items = append(c.Items, menu.Item{Key: o.key, Name: name, Note: o.note, On: on, Run: run})
	}
	return c
}
