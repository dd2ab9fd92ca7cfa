package messages

import (
	"maps"
	"slices"

	"midwire/session"
	"midwire/ui/library"
	"midwire/ui/term"
)

// What the scroll bar shows at a place, the later over the earlier.
const (
	tickFound uint8 = 1 << iota // something was found
	tickFailed
	tickHere
)

const maxTicks = 4096 // flags; of a longer list each stands for several rows

// ticks say where in a long list something failed. They are kept as rows come and
// change, so that no drawing looks at all rows.
type ticks struct {
	shift   uint // a flag stands for 1<<shift rows
	flags   []uint8
	looked  int // rows
	edits   int // of the list, when the first row was looked at
	gen     int // the same of its order
	earlier []uint8
	before  uint // shift of earlier, which are shown until the new ones are complete

	found []int32 // rows where something was found
	stamp int
	of    *library.Recording
}

// extend looks at the next rows of a list, budget at most, and says whether that
// was all.
func (t *ticks) extend(l *List, ids []uint32, budget int) bool {
	for end := min(len(ids), t.looked+budget); t.looked < end; t.looked++ {
		t.look(l, t.looked, ids[t.looked])
	}
	return t.looked >= len(ids)
}

// look sets the flag of one row.
func (t *ticks) look(l *List, at int, id uint32) {
	for at>>t.shift >= maxTicks {
		half := t.flags[:(len(t.flags)+1)/2]
		for i := range half {
			f := t.flags[2*i]
			if 2*i+1 < len(t.flags) {
				f |= t.flags[2*i+1]
			}
			half[i] = f
		}
		t.flags, t.shift = half, t.shift+1
	}
	for at>>t.shift >= len(t.flags) {
		t.flags = append(t.flags, 0)
	}
	switch e := l.Rec.Tracker.Row(int(id)).Ending; {
	case e.Bad():
		t.flags[at>>t.shift] |= tickFailed
	case e == session.Irregular:
		t.flags[at>>t.shift] |= tickFound
	}
}

func (t *ticks) changed(l *List, rows []int) {
	if t.looked == 0 || t.edits != l.Edits || t.gen != l.Order.Gen {
		return
	}
	for _, r := range rows {
		if at := l.Nearest(uint32(r)); at < t.looked && l.Visible[at] == uint32(r) {
			t.look(l, at, uint32(r))
		}
	}
}

// Stale says whether there is something for Scan or LookAhead to look at.
func (l *List) Stale() bool {
	t := &l.ticks
	return l.Scanned < l.Total() || t.looked < len(l.Visible) ||
		t.of != l.Rec || t.edits != l.Edits || t.gen != l.Order.Gen
}

// LookAhead looks at rows for the scroll bar, and says whether it knows all.
func (l *List) LookAhead(budget int) bool {
	t := &l.ticks
	if l.Rec == nil {
		return true
	}
	if t.of != l.Rec {
		*t = ticks{of: l.Rec, edits: -1}
	}
	if t.edits != l.Edits || t.gen != l.Order.Gen || t.looked > len(l.Visible) {
		if t.looked >= len(l.Visible) || t.earlier == nil { // a look round is complete, or there was none
			t.earlier, t.before = t.flags, t.shift
		}
		t.flags, t.shift, t.looked, t.edits, t.gen = nil, 0, 0, l.Edits, l.Order.Gen
	}
	if !t.extend(l, l.Visible, budget) {
		return false
	}
	t.earlier = nil
	return true
}

// spots are the rows where something was found, at most so many of them that
// drawing costs little.
func (t *ticks) spots(l *List) []int32 {
	const most = 512
	x := &l.Rec.Findings
	if t.stamp != x.Stamp || t.found == nil {
		t.stamp, t.found = x.Stamp, slices.AppendSeq([]int32{}, maps.Keys(x.ShowsAtRow))
		slices.Sort(t.found)
		for step := len(t.found)/most + 1; step > 1; step = 1 {
			few := t.found[:0]
			for i := 0; i < len(t.found); i += step {
				few = append(few, t.found[i])
			}
			t.found = few
		}
	}
	return t.found
}

// spread puts flags of n rows, which stand at lines from..from+n of all, on the
// cells of a bar.
func spread(cells, flags []uint8, shift uint, from, all int) {
	for i, f := range flags {
		if f != 0 {
			cells[min((from+i<<shift)*len(cells)/all, len(cells)-1)] |= f
		}
	}
}

func (l *List) bar(h int) []uint8 {
	cells := make([]uint8, max(h, 0))
	all := l.Lines()
	if h <= 0 || all == 0 {
		return cells
	}
	all = max(all, h) // each row beside its tick where all are seen
	put := func(line int, f uint8) { cells[min(line*h/all, h-1)] |= f }
	if l.Grouped() {
		g := &l.groups
		for k, s := range g.sections {
			if g.folded[s.session] {
				for _, f := range s.ticks.flags {
					put(g.starts[k], f)
				}
				continue
			}
			spread(cells, s.ticks.flags, s.ticks.shift, g.starts[k]+1, all)
		}
	} else if l.ticks.earlier != nil {
		spread(cells, l.ticks.earlier, l.ticks.before, 0, max(all, len(l.ticks.earlier)<<l.ticks.before))
	} else {
		spread(cells, l.ticks.flags, l.ticks.shift, 0, all)
	}
	for _, r := range l.ticks.spots(l) {
		l.spot(put, uint32(r), tickFound)
	}
	if i := l.SelectedLine(); i >= 0 {
		put(i, tickHere)
	}
	return cells
}

// spot puts a tick where a row stands, if it is shown.
func (l *List) spot(put func(line int, f uint8), id uint32, f uint8) {
	at := l.Nearest(id)
	if at >= len(l.Visible) || l.Visible[at] != id {
		return
	}
	if l.Grouped() {
		at = l.groups.lineOf(l, id, anchor{})
	}
	put(at, f)
}

// Edge is the scroll bar, one cell for each of h lines below skip others.
func (l *List) Edge(sc *term.Screen, skip, h int) []term.Seg {
	out := make([]term.Seg, skip, skip+max(h, 0))
	th := sc.Theme
	for _, f := range l.bar(h) {
		s := term.Seg{}
		switch {
		case f >= tickHere:
			s = term.S(th.Title, sc.Glyphs.Tick)
		case f >= tickFailed:
			s = term.S(th.Err, sc.Glyphs.Tick)
		case f >= tickFound:
			s = term.S(th.Warn, sc.Glyphs.Tick)
		case !sc.Boxed:
			s = term.S(th.Frame, sc.Glyphs.V)
		}
		out = append(out, s)
	}
	return out
}
