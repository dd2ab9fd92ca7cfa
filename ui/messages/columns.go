package messages

import (
	"strconv"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Columns are the widths of the list's columns; 0 leaves one out.
type Columns struct {
	bar                             bool // a row begins with the bar of its session
	num, time, session, dir         int
	method, tool, arguments, result int
	status, id, latency, size       int
	frames                          bool
	Hit                             string // found text to light, in lower case
}

// Plan is what columns are made for.
type Plan struct {
	Width  int
	Last   uint64 // the largest number
	Time   int    // cells of the longest time
	Names  int    // cells of the longest name of a session, 0 for no such column
	Widths library.Widths
	Extra  Extra
	ASCII  bool
	Frames bool
}

// Extra are columns that are there when somebody asks for them.
type Extra struct{ Status, ID, Size bool }

const (
	Margin     = 1  // left free at the right end
	gap        = 2  // between columns
	wide       = 90 // from here on there is room for blanks
	leastWords = 12 // cells for what is beside the tool
	leastNamed = 16 // the same where the name of the session stands there too
	leastBoth  = 34 // cells for arguments and result each in a column of its own
)

// LayColumns chooses the columns of a list. Where there is not room for all, the
// method gives way first, then the name of the session, arguments of their own
// and the time.
func LayColumns(p *Plan) Columns {
	c := Columns{dir: 1, latency: 8, frames: p.Frames, bar: !term.Narrow(p.Width)}
	c.num = max(len(strconv.Itoa(int(p.Last))), 3)
	if c.bar { // a blank behind the sign of a finding
		c.num++
	}
	if p.Width < wide {
		c.latency--
	}
	if p.ASCII {
		c.dir = 2
	}
	if p.Frames {
		c.latency, c.method = -gap, 9
	}
	words := p.Width - (1 + 1 + c.num + 1 + c.dir + 1 + 1 + 1) - (gap + c.latency) - Margin
	method := min(max(p.Widths.Method, len("METHOD")), 14)
	c.tool = max(min(p.Widths.Tool, max(words*2/3, 16)), len("TOOL"))
	least := c.tool + gap
	take := func(col *int, n, keep int) {
		if n > 0 && words-n-gap >= keep {
			*col = n
			words -= n + gap
		}
	}
	if p.Frames {
		c.latency, c.tool = 0, 0
		words -= c.method + 1
		take(&c.time, p.Time, 20)
		take(&c.id, 5, 36)
		take(&c.size, 6, 30)
		take(&c.session, p.Names, 40)
		c.result = words
		return c
	}
	take(&c.time, p.Time, least)
	for _, extra := range []struct {
		col *int
		on  bool
		n   int
	}{{&c.status, p.Extra.Status, 4}, {&c.id, p.Extra.ID, 4}, {&c.size, p.Extra.Size, 6}} {
		if extra.on {
			take(extra.col, extra.n, least+leastWords)
		}
	}
	take(&c.session, p.Names, least+leastNamed)
	take(&c.method, method, least+leastBoth)
	if c.method == 0 {
		c.tool = max(c.tool, min(method, words/2))
	}
	c.share(words-c.tool-gap, p)
	return c
}

// share shares the rest of a row between arguments and result.
func (c *Columns) share(rest int, p *Plan) {
	if c.method > 0 {
		more := min(p.Widths.Method-c.method, rest-2*leastBoth)
		c.method += max(more, 0)
		rest -= max(more, 0)
	}
	if rest >= leastBoth && p.Widths.Arguments > 0 {
		c.arguments = max(min(p.Widths.Arguments, rest*2/5), len("ARGUMENTS"))
		rest -= c.arguments + gap
	}
	c.result = max(rest, 0)
}

// Number is how many cells the number of a row has.
func (c *Columns) Number() int { return c.num }

// field is one column with a name: where it stands, and what a click on its name
// orders by.
type field struct {
	name  safe.Text
	by    Column
	sorts bool
	at, w int
	right bool
}

// signs is where the direction of a row stands, behind the cell of a mark.
func (c *Columns) signs() int {
	at := 1 + 1 + c.num
	for _, n := range []int{c.time, c.session} {
		if n > 0 {
			at += gap + n
		}
	}
	return at + 1
}

// fields are the columns with names from left to right.
func (c *Columns) fields() (out []field) {
	at := 2
	add := func(name safe.Text, by Column, sorts, right bool, w, behind int) {
		if w > 0 {
			out = append(out, field{name, by, sorts, at, w, right})
			at += w + behind
		}
	}
	between := func(n int) int { // a gap where such a column follows
		if n > 0 {
			return gap
		}
		return 0
	}
	add("#", ByNumber, true, true, c.num, between(c.time+c.session))
	add("TIME", ByNumber, true, true, c.time, between(c.session))
	add("SESSION", ByNumber, false, false, c.session, 0)
	at = c.signs() + c.dir + 1
	add("", byVerdict, !c.frames, false, 1, 1)
	if c.frames {
		add("KIND", byMethod, true, false, c.method, 1)
		add("BYTES", ByNumber, false, false, c.result, gap)
	} else {
		add("METHOD", byMethod, true, false, c.method, gap)
		add("TOOL", ByNumber, false, false, c.tool, gap)
		add("ARGUMENTS", ByNumber, false, false, c.arguments, gap)
		add("RESULT", ByNumber, false, false, c.result, gap)
	}
	add("HTTP", ByNumber, false, true, c.status, gap)
	id := safe.Text("ID")
	if c.frames {
		id = "X"
	}
	add(id, ByNumber, false, true, c.id, gap)
	add("LATENCY", byLatency, true, true, c.latency, gap)
	add("SIZE", bySize, true, true, c.size, gap)
	return out
}

// At is the column at a cell of the list that it can be ordered by.
func (c *Columns) At(x int) (Column, bool) {
	for _, f := range c.fields() {
		if from := f.at; x < f.at+f.w && (x >= from || f.right && x >= from-gap) {
			return f.by, f.sorts
		}
	}
	return ByNumber, false
}

// DrawHeadings writes the names of the columns, each where its values stand.
func DrawHeadings(l *term.Line, th *term.Theme, col *Columns, of *List) string {
	for _, f := range col.fields() {
		name := f.name
		if o := &of.Order; o.On && f.sorts && o.By == f.by && f.name != "TIME" {
			if name += f.by.direction(l.Glyphs, o.Reverse); term.Width(name) > f.w {
				name = name[:3] + f.by.direction(l.Glyphs, o.Reverse)
			}
		}
		l.Gap(f.at - l.Used)
		if f.right {
			l.Right(th.Faint, name, f.w)
		} else {
			l.PutMax(th.Faint, name, f.w)
		}
	}
	return l.Finish()
}
