package waterfall

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
)

// gaps are the longest stretches of time in which nothing happened, as a heap:
// the shortest of them first.
type gaps []extent

const maxGaps = 2048

func (g gaps) Len() int           { return len(g) }
func (g gaps) Less(i, j int) bool { return g[i].length() < g[j].length() }
func (g gaps) Swap(i, j int)      { g[i], g[j] = g[j], g[i] }
func (g *gaps) Push(x any)        { *g = append(*g, x.(extent)) }
func (g *gaps) Pop() any          { panic("gaps only grow longer") }

// add takes in one more stretch.
func (g *gaps) add(from, to int64) {
	e := extent{float64(from), float64(to)}
	switch {
	case to <= from:
	case len(*g) < maxGaps:
		heap.Push(g, e)
	case e.length() > (*g)[0].length():
		(*g)[0] = e
		heap.Fix(g, 0)
	}
}

const (
	foldedFrom = 6    // cells' worth of idle time that is not folded yet
	foldedTo   = 3    // cells that the rest of it takes: a line and what is beside it
	finest     = 1000 // nanoseconds of a cell, below which nothing more is folded
)

// scale puts a window of time on columns. Idle time in it is folded.
type scale struct {
	extent
	columns int
	unit    float64 // nanoseconds of a cell
	parts   []part  // what is not folded, in order; between two is one cell
}

// part is a stretch of time that is shown from a column on.
type part struct {
	extent
	column float64
}

func newScale(w extent, columns int, quiet gaps) scale {
	var in []extent
	for _, g := range quiet {
		g = extent{max(g.from, w.from), min(g.to, w.to)}
		if g.length() > 0 {
			in = append(in, g)
		}
	}
	slices.SortFunc(in, func(a, b extent) int {
		return cmp.Or(cmp.Compare(b.length(), a.length()), cmp.Compare(a.from, b.from))
	})
	s := scale{extent: w, columns: columns, unit: w.length() / float64(max(columns, 1))}
	folds, rest := 0, w.length()
	for i := range min(len(in), columns/(foldedTo+2)) {
		rest -= in[i].length()
		unit := rest / float64(columns-foldedTo*(i+1))
		if unit >= finest && in[i].length() > foldedFrom*unit {
			folds, s.unit = i+1, unit
		}
	}
	in = in[:folds]
	slices.SortFunc(in, func(a, b extent) int { return cmp.Compare(a.from, b.from) })
	at := part{extent: w}
	for _, g := range in {
		at.to = g.from + s.unit
		s.parts = append(s.parts, at)
		at = part{extent{g.to - s.unit, w.to}, at.column + at.length()/s.unit + 1}
	}
	s.parts = append(s.parts, at)
	return s
}

// at is the column of a moment; it may lie outside.
func (s *scale) at(t int64) float64 {
	m := float64(t)
	i, _ := slices.BinarySearchFunc(s.parts, m, func(p part, m float64) int { return cmp.Compare(p.from, m) })
	if i == len(s.parts) || i > 0 && s.parts[i].from > m {
		i--
	}
	p := s.parts[i]
	if m > p.to && i < len(s.parts)-1 {
		return math.Floor(s.parts[i+1].column-1) + 0.5
	}
	return p.column + (m-p.from)/s.unit
}

// fold is the column of the line after a part.
func (s *scale) fold(i int) int { return int(s.parts[i+1].column - 1) }
