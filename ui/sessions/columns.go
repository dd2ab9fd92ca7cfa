package sessions

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// columns are how wide what is, 0 for what has no room. Client, sign, numbers
// and verdict are always there.
type columns struct {
	client, server, protocol, started int
	calls, errors, p95, activity      int
	verdict                           int
	dated                             bool // started has the day
}

// What columns want, with the blanks before them.
const (
	wantProtocol = 17
	wantTime     = 10
	wantDay      = 13 // with the day instead of seconds
	wantCalls    = 7
	wantErrors   = 5
	wantP95      = 7
	wantActivity = 10
	activity     = 8 // of its cells are drawn
	signs        = 3 // bar, sign, blank
)

// layColumns shares out w cells. What is shown by day needs no dates.
func layColumns(w int, by grouping) columns {
	c := columns{errors: wantErrors, dated: by != byDay}
	if w >= 52 {
		c.calls, c.started = wantCalls, wantTime
		if c.dated {
			c.started = wantDay
		}
	}
	if w >= 96 {
		c.p95, c.activity = wantP95, wantActivity
	}
	if w >= 112 {
		c.protocol = wantProtocol
	}
	rest := w - signs - 2 - c.errors - c.calls - c.started - c.p95 - c.activity - c.protocol
	c.verdict = min(max(rest*44/100, 12), 46)
	rest -= c.verdict
	c.client = rest
	if w >= 76 {
		c.server = min(rest*48/100, 40)
		c.client = min(rest-c.server, 44)
		c.verdict += rest - c.server - c.client
	}
	return c
}

// headings draws the names of the columns, each at the side of its values.
func (c *columns) headings(sc *library.Scene, w int, by sorting) string {
	l := term.NewLine(w, sc.Glyphs)
	l.Gap(signs)
	name := func(t safe.Text, of sorting, here bool) safe.Text {
		if here && of == by {
			return t + sc.Glyphs.Falling
		}
		return t
	}
	st := sc.Theme.Faint
	l.Cell(st, name("CLIENT", clientName, true), c.client)
	if c.server > 0 {
		l.Cell(st, "  SERVER", c.server)
	}
	if c.protocol > 0 {
		l.Cell(st, " PROTOCOL", c.protocol)
	}
	if c.started > 0 {
		l.Cell(st, "  "+name("STARTED", newest, true), c.started)
	}
	if c.calls > 0 {
		l.Right(st, name("CALLS", mostCalls, true), c.calls)
	}
	l.Right(st, name("ERR", mostErrors, true), c.errors)
	if c.p95 > 0 {
		l.Right(st, name("P95", slowest, true), c.p95)
	}
	if c.activity > 0 {
		l.Cell(st, "  ACTIVITY", c.activity)
	}
	return l.Gap(2).Put(st, "VERDICT").Finish()
}

// at is what the column at x is ordered by.
func (c *columns) at(x int) (sorting, bool) {
	x -= signs
	for _, col := range []struct {
		w  int
		by sorting
		ok bool
	}{
		{c.client, clientName, true},
		{c.server, 0, false},
		{c.protocol, 0, false},
		{c.started, newest, true},
		{c.calls, mostCalls, true},
		{c.errors, mostErrors, true},
		{c.p95, slowest, true},
	} {
		if x < col.w {
			return col.by, col.ok && x >= 0
		}
		x -= col.w
	}
	return 0, false
}
