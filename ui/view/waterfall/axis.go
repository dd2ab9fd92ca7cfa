package waterfall

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// extent is a stretch of time in nanoseconds since the recording started.
// Recordings may claim any time, which float64 bears.
type extent struct{ from, to float64 }

func (e extent) length() float64 { return e.to - e.from }

// axis says which part of the time is on the screen: all of it, or so much of
// it, from a moment on or up to the end.
type axis struct {
	fit  bool
	ends bool // stays at the end
	extent
}

// shortestTime is what the screen shows at least.
const shortestTime = 20_000

func (a *axis) window(all extent) extent {
	switch {
	case a.fit:
		return extent{all.from, max(all.to, all.from+shortestTime)}
	case a.ends:
		return extent{all.to - a.length(), all.to}
	}
	return a.extent
}

// zoom halves or doubles what is seen around a moment. What is longer than all
// the time fits.
func (a *axis) zoom(in bool, at float64, all extent) {
	w := a.window(all)
	n := w.length() * 2
	if in {
		n = max(w.length()/2, shortestTime)
	}
	if n >= all.length() {
		*a = axis{fit: true}
		return
	}
	at = max(w.from, min(at, w.to))
	from := at - (at-w.from)*n/w.length()
	a.fit, a.extent = false, extent{from, from + n}
	a.keep(all)
}

func (a *axis) pan(later bool, all extent) {
	if a.fit {
		return
	}
	w := a.window(all)
	by := w.length() / 4
	if !later {
		by = -by
	}
	a.ends, a.extent = false, extent{w.from + by, w.to + by}
	a.keep(all)
}

func (a *axis) keep(all extent) {
	n := a.length()
	a.from = max(all.from, min(a.from, all.to-n))
	a.to = a.from + n
}

// follow stays at the end of the time. Where all of it was seen it shows the
// last tenth.
func (a *axis) follow(all extent) {
	w := a.window(all)
	n := w.length()
	if a.fit {
		n = max(n/10, shortestTime)
	}
	*a = axis{ends: true, extent: extent{all.to - n, all.to}}
}

// reveal pans as little as needed to see where a row begins.
func (a *axis) reveal(row *session.Row, all extent) {
	if a.fit {
		return
	}
	w, t := a.window(all), float64(row.T)
	if begins, ends := t, max(t, float64(row.End)); ends >= w.from && begins < w.to {
		return
	}
	n := w.length()
	a.ends, a.extent = false, extent{t - n/5, t - n/5 + n}
	a.keep(all)
}

// open shows a part of the time, and what is beside it; all of it where that is much of it.
func (a *axis) open(part, all extent, ends bool) {
	const beside, much = 0.02, 0.7
	n := max(part.length()*(1+2*beside), shortestTime)
	if n > much*all.length() {
		return
	}
	*a = axis{ends: ends, extent: extent{part.from - part.length()*beside, 0}}
	a.to = a.from + n
	a.keep(all)
}

// steps are the distances of ticks from a second on, in seconds.
var steps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// tickStep is the shortest sensible distance of ticks, in nanoseconds, that is
// at least so many.
func tickStep(least float64) float64 {
	if least > 1e9 {
		if i := sort.SearchFloat64s(steps, least/1e9); i < len(steps) {
			return steps[i] * 1e9
		}
	}
	unit := 1.0
	if least > 86400e9 {
		unit = 86400e9
	}
	p := math.Pow(10, math.Floor(math.Log10(max(least/unit, 1))))
	for _, n := range []float64{1, 2, 5} {
		if n*p*unit >= least {
			return n * p * unit
		}
	}
	return 10 * p * unit
}

type tick struct {
	column int
	label  safe.Text
}

// ticks are the marks of a window that is so many columns wide.
func ticks(sc *library.Scene, w extent, columns int) (out []tick) {
	least := w.length() / float64(max(columns, 1)) * 10
	step := tickStep(least)
	origin := float64(sc.Base)
	if sc.Time == term.ClockTime {
		origin = -math.Mod(float64(sc.Rec.Started.UnixNano()), step)
	}
	for k := math.Ceil((w.from - origin) / step); len(out) < columns; k++ {
		t := origin + k*step
		column := int((t - w.from) / w.length() * float64(columns))
		if column >= columns {
			break
		}
		out = append(out, tick{column, tickLabel(sc, t, step)})
	}
	return out
}

// tickLabel writes a moment as exactly as the distance of the ticks asks for.
func tickLabel(sc *library.Scene, t, step float64) safe.Text {
	digits := max(0, int(math.Ceil(9-math.Log10(step)-1e-9)))
	if sc.Time == term.ClockTime {
		layout := "15:04:05.000000000"
		switch {
		case step >= 60e9:
			layout = "15:04"
		case digits == 0:
			layout = "15:04:05"
		default:
			layout = layout[:len("15:04:05.")+digits]
		}
		return safe.Line(sc.Rec.Started.Add(time.Duration(t)).Local().Format(layout))
	}
	s := (t - float64(sc.Base)) / 1e9
	if math.Abs(s) < step/2e9 {
		return "0s"
	}
	return safe.Line(inUnits(s, step, digits))
}

// inUnits writes seconds as hours, minutes and seconds.
func inUnits(s, step float64, digits int) string {
	pad := 2
	if digits > 0 {
		pad += 1 + digits
	}
	days, minutes := math.Floor(s/86400), math.Floor(s/60)
	rest := s - minutes*60
	switch {
	case s < 60:
		return fmt.Sprintf("%.*fs", digits, s)
	case step >= 86400e9:
		return fmt.Sprintf("%.0fd", days)
	case s < 3600 && step >= 60e9:
		return fmt.Sprintf("%.0fm", minutes)
	case s < 3600:
		return fmt.Sprintf("%.0fm%0*.*fs", minutes, pad, digits, rest)
	case step >= 60e9 && s < 86400:
		return fmt.Sprintf("%.0fh%02.0fm", math.Floor(minutes/60), math.Mod(minutes, 60))
	case step >= 60e9:
		return fmt.Sprintf("%.0fd%02.0fh%02.0fm", days, math.Mod(math.Floor(minutes/60), 24), math.Mod(minutes, 60))
	}
	return fmt.Sprintf("%.0fh%02.0fm%0*.*fs", math.Floor(minutes/60), math.Mod(minutes, 60), pad, digits, rest)
}

// gaps are the longest stretches of time in which nothing happened, as a heap:
// the shortest of them first.
type gaps []extent

const maxGaps = 2048

func (g gaps) Len() int           { return len(g) }
func (g gaps) Less(i, j int) bool { return g[i].length() < g[j].length() }
func (g gaps) Swap(i, j int)      { g[i], g[j] = g[j], g[i] }
func (g *gaps) Push(x any)        { *g = append(*g, x.(extent)) }
func (g *gaps) Pop() any          { panic("gaps only grow longer") }

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
