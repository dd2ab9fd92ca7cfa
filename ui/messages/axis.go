package messages

import (
	"slices"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// axis puts the times of the rows on the screen on some cells: where nothing happens for
// long, time is left out, at a cell of its own.
type axis struct {
	parts []part
	child map[uint32][]part // of a row, what it waited for itself
	cells int
	base  int64
}

// part is a piece of time in which something happens, and the cells it has.
type part struct {
	from, to int64
	at, n    int
}

func (l *List) axisOf(sc *library.Scene, rows []uint32, w int) (a axis) {
	if a.cells, a.base = w, sc.Base; w < 4 || len(rows) == 0 {
		return a
	}
	rows = slices.Sorted(slices.Values(rows)) // in order of time
	for _, id := range rows {
		row := l.Rec.Tracker.Row(int(id))
		from, to := row.T, l.until(sc, row)
		if row.Kind == session.RowCall && row.Dir == wire.ToClient {
			a.within(l, rows, row, part{from: from, to: to})
		}
		switch last := len(a.parts) - 1; {
		case last >= 0 && from <= a.parts[last].to+idleFrom:
			a.parts[last].to = max(a.parts[last].to, to)
		default:
			a.parts = append(a.parts, part{from: from, to: to})
		}
	}
	a.share()
	return a
}

// within notes that a call of the client waited for a request of the server: the one it
// belongs to, else the only one that was pending.
func (a *axis) within(l *List, rows []uint32, row *session.Row, p part) {
	var call *session.Row
	for _, id := range rows {
		of := l.Rec.Tracker.Row(int(id))
		switch covers := of.T <= p.from && of.End >= p.to; {
		case int(id) == int(row.Parent):
			call = of
		case row.Parent >= 0 || of.Kind != session.RowCall || of.Dir != wire.ToServer || !covers:
		case call != nil: // one of several
			return
		default:
			call = of
		}
	}
	if call == nil {
		return
	}
	if a.child == nil {
		a.child = map[uint32][]part{}
	}
	a.child[call.Request] = append(a.child[call.Request], p)
}

// share gives every part a cell, and what is left by how long the parts take.
func (a *axis) share() {
	if most := a.cells / 2; len(a.parts) > most { // the latest are told apart
		first := a.parts[:len(a.parts)-most+1]
		first[len(first)-1].from = first[0].from
		a.parts = a.parts[len(first)-1:]
	}
	n, all := a.cells-2*len(a.parts)+1, int64(0)
	for _, p := range a.parts {
		all += p.to - p.from + 1
	}
	at := 0
	for i := range a.parts {
		p := &a.parts[i]
		more := int(float64(n) * float64(p.to-p.from+1) / float64(all))
		p.at, p.n = at, 1+more
		n, all = n-more, all-(p.to-p.from+1)
		at += p.n + 1
	}
}

// until is when a row is over: a stream at once, what is pending not before now.
func (l *List) until(sc *library.Scene, row *session.Row) int64 {
	switch {
	case row.Kind != session.RowCall || l.Rec.IsStream(row):
		return row.T
	case row.End > 0:
		return row.End
	case l.Rec.Live:
		return row.T + library.Elapsed(sc.Now, l.Rec, row.T)
	}
	if n := len(l.Rec.Frames); n > 0 && row.Ending.Open() {
		return max(row.T, l.Rec.Frames[n-1].T)
	}
	return row.T
}

func (a *axis) cell(t int64) float64 {
	for i := len(a.parts) - 1; i >= 0; i-- {
		if p := &a.parts[i]; t >= p.from {
			share := min(float64(t-p.from)/float64(p.to-p.from+1), 1)
			return float64(p.at) + share*float64(p.n)
		}
	}
	return 0
}

// draw draws when a row happened, between the places where time is left out.
func (a *axis) draw(l *term.Line, sc *library.Scene, r *Cells) {
	th, sg, from := sc.Theme, sc.Glyphs, l.Used
	cells := make([]term.Seg, a.cells)
	for i := 1; i < len(a.parts); i++ {
		cells[a.parts[i].at-1] = term.S(th.Frame, sg.Cut)
	}
	if r.to > 0 && len(cells) > 0 {
		a.bar(cells, r.from, r.to, r.barSt, sc)
		for _, p := range a.child[r.request] {
			a.bar(cells, p.from, p.to, th.Dim, sc)
		}
	}
	for i, s := range cells {
		if s.Text != "" {
			l.Gap(from+i-l.Used).Put(s.Style, s.Text)
		}
	}
}

// bar is a line over the cells of some time, half a one where it is less.
func (a *axis) bar(cells []term.Seg, from, to int64, st term.Style, sc *library.Scene) {
	x, y := a.cell(from), a.cell(to)
	first := min(int(x), len(cells)-1)
	if y-x < 1 {
		cells[first] = term.S(st, sc.Glyphs.Half)
		return
	}
	for i := first; i < min(int(y+0.5), len(cells)); i++ {
		cells[i] = term.S(st, sc.Glyphs.Full)
	}
}

// times says behind each place where time is left out what time it is there.
func (a *axis) times() safe.Text {
	out, used := safe.Text(""), 0
	for _, p := range a.parts[min(1, len(a.parts)):] {
		text := term.Duration(p.from - a.base)
		if n := p.at - used; n >= 0 && p.at+term.Width(text) <= a.cells {
			out += safe.Repeat(" ", n) + text
			used = p.at + term.Width(text) + 1
			out += " "
		}
	}
	return out
}
