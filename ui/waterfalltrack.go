package ui

import (
	"math"
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// track is the cells of one bar.
type track struct {
	cells   []trackCell
	sg      *barSigns
	columns int
}

type trackCell struct {
	glyph string
	st    term.Style
}

func (t *track) set(x int, glyph string, st term.Style) {
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

func (t *track) point(at float64, glyph string, st term.Style) { t.set(t.column(at), glyph, st) }

// run fills cells from one place to another, at least one.
func (t *track) run(from, to float64, glyph string, st term.Style) {
	first := t.column(from)
	for x := first; x == first || float64(x) < to && x < t.columns; x++ {
		t.set(x, glyph, st)
	}
}

// bar fills cells as exactly as their parts allow.
func (t *track) bar(from, to float64, st term.Style) {
	if t.sg.parts == nil {
		t.run(from, to, t.sg.done, st)
		return
	}
	first, last := t.column(from), t.column(to)
	if first == last {
		t.set(first, t.part(max(to-from, 0.25)), st)
		return
	}
	t.run(from, float64(last), t.sg.done, st)
	if from-float64(first) >= 0.5 {
		t.set(first, t.sg.half, st)
	}
	if rest := to - float64(last); rest >= 1.0/16 {
		t.set(last, t.part(rest), st)
	}
}

// part is the glyph of a part of a cell, from its left.
func (t *track) part(n float64) string {
	return t.sg.parts[max(0, min(int(math.Round(n*8)), 8)-1)]
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
			l.Put(c.st, safe.Text(strings.Repeat(c.glyph, j-i)))
		}
		i = j
	}
}
