package timeline

import (
	"midwire/ui/library"
	"midwire/ui/term"
)

const slots = 512 // of a lane

// lane is when the rows of one session came.
type lane struct {
	past   term.Profile
	looked int    // rows
	last   uint32 // the latest of them
}

// Strip keeps the lanes of one recording. It looks at every row once, when it is
// new, and no more when the screen is drawn.
type Strip struct {
	rec    *library.Recording
	lanes  map[int]*lane // by session, of those that were asked for
	base   int64         // when the first session began
	shown  []int         // sessions with a lane on the screen, from top to bottom
	hidden []int         // those named below them
	as     chosen
	spent  spent
}

type chosen struct{ lanes, sessions, frames, stamp int }

// Of makes the strip that of a recording.
func (s *Strip) Of(rec *library.Recording) {
	if s.rec != rec || s.lanes == nil {
		*s = Strip{rec: rec, lanes: map[int]*lane{}, spent: s.spent}
	}
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
		*l = lane{past: term.NewProfile(slots)} // rows have changed their session
	}
	for ; l.looked < len(rows) && budget > 0; budget-- {
		l.last = rows[l.looked]
		l.looked++
		s.count(l, int(l.last), 1)
	}
	return budget
}

func (s *Strip) count(l *lane, row, n int) {
	r := s.rec.Tracker.Row(row)
	l.past.Add(r.T-s.base, n, r.Ending.Bad())
}

// Changed takes in that rows came to another end than it seemed.
func (s *Strip) Changed(rows []int) {
	for _, r := range rows {
		row := s.rec.Tracker.Row(r)
		if l := s.lanes[int(row.Session)]; l != nil && uint32(r) <= l.last && l.looked > 0 {
			s.count(l, r, 0)
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
		l = &lane{past: term.NewProfile(slots)}
		s.lanes[i] = l
		s.extend(i, slots)
	}
	return term.Fold(l.past.Until(s.end()-s.base), w)
}

// end is when the last message came.
func (s *Strip) end() int64 {
	if n := len(s.rec.Frames); n > 0 {
		return s.rec.Frames[n-1].T
	}
	return 0
}
