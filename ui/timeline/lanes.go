package timeline

import (
	"midwire/session"
	"midwire/ui/library"
	"midwire/ui/term"
)

const slots = 512 // of a lane; a slot stands for unit nanoseconds

// lane is when the rows of one session came.
type lane struct {
	n      [slots]uint32
	failed [slots]bool
	looked int    // rows
	last   uint32 // the latest of them
}

// Strip keeps the lanes of one recording. It looks at every row once, when it is
// new, and no more when the screen is drawn.
type Strip struct {
	rec    *library.Recording
	lanes  map[int]*lane // by session, of those that were asked for
	unit   int64
	base   int64 // when the first session began
	shown  []int // sessions with a lane on the screen, from top to bottom
	hidden []int // those named below them
	as     chosen
}

// chosen is what lanes were chosen by.
type chosen struct{ lanes, sessions, frames, stamp int }

// Of makes the strip that of a recording.
func (s *Strip) Of(rec *library.Recording) {
	if s.rec != rec || s.lanes == nil {
		*s = Strip{rec: rec, lanes: map[int]*lane{}, unit: 1}
	}
}

// slot is the place of a moment in every lane; the lanes are folded until they
// are long enough.
func (s *Strip) slot(t int64) int {
	t = max(t-s.base, 0)
	for t/s.unit >= slots {
		for _, l := range s.lanes {
			for i := range slots / 2 {
				l.n[i] = l.n[2*i] + l.n[2*i+1]
				l.failed[i] = l.failed[2*i] || l.failed[2*i+1]
			}
			clear(l.n[slots/2:])
			clear(l.failed[slots/2:])
		}
		s.unit *= 2
	}
	return int(t / s.unit)
}

// LookAhead looks at the rows that came since, budget at most, and says whether
// that were all.
func (s *Strip) LookAhead(budget int) bool {
	for i := range s.lanes {
		if budget = s.extend(i, budget); budget <= 0 {
			return false
		}
	}
	return true
}

// extend takes in what a session said since, and returns what is left of the
// budget.
func (s *Strip) extend(i, budget int) int {
	ses := s.rec.Session(i)
	if ses == nil {
		return budget
	}
	rows, l := ses.Rows(), s.lanes[i]
	if l.looked > len(rows) || l.looked > 0 && rows[l.looked-1] != l.last {
		*l = lane{} // rows have changed their session
	}
	for ; l.looked < len(rows) && budget > 0; budget-- {
		l.last = rows[l.looked]
		l.looked++
		s.count(l, s.rec.Tracker.Row(int(l.last)), 1)
	}
	return budget
}

func (s *Strip) count(l *lane, row *session.Row, n uint32) {
	at := s.slot(row.T)
	l.n[at] += n
	if row.Ending.Bad() {
		l.failed[at] = true
	}
}

// Changed takes in that rows came to another end than it seemed.
func (s *Strip) Changed(rows []int) {
	for _, r := range rows {
		row := s.rec.Tracker.Row(r)
		if l := s.lanes[int(row.Session)]; l != nil && uint32(r) <= l.last && l.looked > 0 {
			s.count(l, row, 0)
		}
	}
}

// Slots are what a session did in all of the time, in w cells or fewer.
func (s *Strip) Slots(i, w int) []term.Slot {
	l := s.lanes[i]
	if len(s.lanes) == 0 {
		s.base = s.rec.Session(0).Started
	}
	if l == nil {
		l = &lane{}
		s.lanes[i] = l
		s.extend(i, slots)
	}
	used := s.slot(s.end()) + 1
	out := make([]term.Slot, used)
	for k := range out {
		out[k] = term.Slot{N: int(l.n[k]), Failed: l.failed[k]}
	}
	return term.Fold(out, w)
}

// end is when the last message came.
func (s *Strip) end() int64 {
	if n := len(s.rec.Frames); n > 0 {
		return s.rec.Frames[n-1].T
	}
	return 0
}
