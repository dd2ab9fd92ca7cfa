package waterfall

import (
	"math"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// until is the column where the bar of a row ends.
func (p *painter) until(row *session.Row) float64 {
	from, to := p.scale.at(row.T), p.scale.at(max(row.End, row.T))
	if library.Unfinished(row) {
		to = float64(p.columns)
		if rec := p.sc.Rec; rec.Live {
			to = p.scale.at(int64(p.sc.Now.Sub(rec.Started)))
		}
	}
	return max(from, to)
}

func (p *painter) bar(t *track, row *session.Row) {
	from, to, st := p.scale.at(row.T), p.until(row), p.tone(row)
	switch {
	case row.Kind == session.RowNotification:
		t.point(from, p.sg.moment, st)
	case row.Kind != session.RowCall && row.Kind != session.RowHTTP:
		t.point(from, p.sg.other, p.sc.Theme.Dim)
	case p.sc.Rec.IsStream(row):
		p.used.thin = true
		t.run(from, to, p.sg.thin, st)
	case library.Unfinished(row):
		p.used.pending = true
		t.run(from, to, p.sg.done, st)
		t.set(max(t.column(from), min(int(math.Ceil(to))-1, p.columns-1)), p.sg.open, st)
	case row.End == 0:
		t.point(from, p.sg.given, st)
	case to-from < 1:
		t.point(from, p.sg.short, st)
	case row.Dir != wire.ToServer:
		p.used.asked = true
		t.run(from, to, p.sg.asked, st)
	default:
		t.run(from, to, p.sg.done, st)
		first := p.scale.at(row.First)
		if row.First > row.T && row.First < row.End && to-first >= 1 && first-from >= 1 {
			p.used.stream = true
			t.run(first, to, p.sg.stream, st)
		}
	}
}

// tone is the hue of a bar: that of its session, unless it failed.
func (p *painter) tone(row *session.Row) term.Style {
	switch {
	case row.Ending.Bad():
		return p.sc.Theme.Err
	case row.Ending.GaveUp():
		return p.sc.Theme.Dim
	}
	return p.sc.Rec.Hue(p.sc.Theme, int(row.Session))
}

type track struct {
	cells   []trackCell
	sg      *barSigns
	columns int
}

type trackCell struct {
	glyph safe.Text
	st    term.Style
}

// track is an empty one, with the lines of the grid.
func (p *painter) track() track {
	t := track{cells: make([]trackCell, p.columns), sg: &p.sg, columns: p.columns}
	copy(t.cells, p.marks)
	return t
}

func (t *track) set(x int, glyph safe.Text, st term.Style) {
	if x >= 0 && x < len(t.cells) {
		t.cells[x] = trackCell{glyph, st}
	}
}

// column is the cell of a place, which may be far outside. The end belongs to
// the last cell.
func (t *track) column(x float64) int {
	if end := float64(t.columns); x >= end && x < end+1e-6 {
		return t.columns - 1
	}
	return int(math.Floor(max(-1, min(x, float64(t.columns)))))
}

func (t *track) point(at float64, glyph safe.Text, st term.Style) { t.set(t.column(at), glyph, st) }

// run fills cells from one place to another, at least one.
func (t *track) run(from, to float64, glyph safe.Text, st term.Style) {
	first := t.column(from)
	for x := first; x == first || float64(x) < to && x < t.columns; x++ {
		t.set(x, glyph, st)
	}
}

// edges say on which side a bar is that is not to be seen.
func (t *track) edges(from, to float64, st term.Style) {
	switch {
	case to < 0:
		t.set(0, t.sg.before, st)
	case from >= float64(t.columns)+1e-6:
		t.set(t.columns-1, t.sg.after, st)
	}
}

func (t *track) write(l *term.Line) {
	for i := 0; i < len(t.cells); {
		c, j := t.cells[i], i
		for j < len(t.cells) && t.cells[j] == c {
			j++
		}
		if c.glyph == "" {
			l.Gap(j - i)
		} else {
			l.Put(c.st, safe.Repeat(c.glyph, j-i))
		}
		i = j
	}
}
