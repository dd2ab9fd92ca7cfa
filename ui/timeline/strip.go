// Package timeline is the strip above the messages of several sessions: a line for
// each of them, with when it said how much, what failed, and what was found. A
// Strip belongs to the goroutine of the tea.Program.
package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// MaxLanes is how many sessions have a lane where there is room.
const MaxLanes = 6

// choose decides which sessions have lanes: all where there is room, else the
// worst and busiest.
func (s *Strip) choose(lanes int) {
	all := s.rec.Tracker.Sessions()
	now := chosen{lanes, len(all), len(s.rec.Frames), s.rec.Findings.Stamp}
	if s.as == now {
		return
	}
	s.as, s.shown, s.hidden = now, s.shown[:0], s.hidden[:0]
	for i := range all {
		if len(all) <= lanes {
			s.shown = append(s.shown, i)
			continue
		}
		if len(s.shown) == lanes {
			last := s.shown[lanes-1]
			if s.before(last, i) <= 0 {
				s.hidden = append(s.hidden, i)
				continue
			}
			s.hidden = append(s.hidden, last)
			s.shown = s.shown[:lanes-1]
		}
		at, _ := slices.BinarySearchFunc(s.shown, i, s.before)
		s.shown = slices.Insert(s.shown, at, i)
	}
}

// before compares sessions: the one with the worst verdict first, then the busiest, then the
// earlier.
func (s *Strip) before(a, b int) int {
	x, y := s.rec.VerdictOf(a), s.rec.VerdictOf(b)
	calls := cmp.Compare(s.rec.Session(b).Calls, s.rec.Session(a).Calls)
	return cmp.Or(cmp.Compare(x.Weight(), y.Weight()), calls, cmp.Compare(a, b))
}

// drawLanes draws the lanes: h lines of w cells. The chosen session stands out.
func (s *Strip) drawLanes(sc *library.Scene, w, h, chosen int) []string {
	n := len(s.rec.Tracker.Sessions())
	lanes := h
	if n > h {
		lanes = h - 1
	}
	s.choose(lanes)
	t := s.table(sc).Fit(w, len(s.shown), func(n int) int { return s.shown[n] })
	var out []string
	for _, i := range s.shown {
		out = append(out, t.Row(i, i == chosen, false))
	}
	if len(s.hidden) > 0 {
		out = append(out, s.drawHidden(sc, w))
	}
	return out
}

// table is the columns of the lanes, whose rows are sessions.
func (s *Strip) table(sc *library.Scene) *term.Table[int] {
	th, sg := sc.Theme, sc.Glyphs
	return &term.Table[int]{
		Screen: &sc.Screen,
		Hue:    func(i int) term.Style { return s.rec.Hue(th, i) },
		Columns: []term.Column[int]{
			{Min: 8, Max: 18, Cell: func(i int) term.Seg { return term.S(s.rec.Hue(th, i), s.rec.SessionName(i)) }},
			{Min: 8, Flex: 1, Draw: func(l *term.Line, i int) { s.drawSpark(l, sc, i) }},
			{Min: 8, Max: 12, Right: true, Cell: func(i int) term.Seg {
				if n := s.rec.Session(i).Calls; n > 0 {
					return term.S(th.Dim, term.Count(n, "call"))
				}
				return term.Seg{}
			}},
			{Min: 6, Rank: 2, Right: true, Cell: func(i int) term.Seg {
				if t := s.rec.Slow(i); t > 0 {
					return term.S(th.Dim, term.Duration(t))
				}
				return term.Seg{}
			}},
			{Min: 4, Max: 8, Right: true, Cell: func(i int) term.Seg {
				if n := s.rec.Session(i).Errors; n > 0 {
					return term.S(th.Err, term.Number(n)+" "+sg.Err)
				}
				return term.Seg{}
			}},
			{Min: 16, Max: 32, Draw: func(l *term.Line, i int) { l.Segs(s.verdict(sc, i, l.Max-l.Used)) }},
		},
	}
}

// verdict is what a session comes to, without the sign that its failures have already.
func (s *Strip) verdict(sc *library.Scene, i, room int) []term.Seg {
	out, sign := s.rec.Judgement(sc, i, room), string(sc.Glyphs.Err)
	if s.rec.Session(i).Errors > 0 && strings.HasPrefix(string(out[0].Text), sign) {
		out = s.rec.Judgement(sc, i, room+2)
		out[0].Text = safe.Line(strings.TrimPrefix(string(out[0].Text), sign+" "))
	}
	return out
}

// drawSpark draws when a session said how much, blank before it began and, if it
// has ended, behind its end.
func (s *Strip) drawSpark(l *term.Line, sc *library.Scene, i int) {
	ses, room := s.rec.Session(i), l.Max-l.Used
	all := stretch(s.Slots(i, room), room)
	place := func(t int64) int {
		return int(float64(max(t-s.base, 0)) / float64(max(s.end()-s.base, 0)+1) * float64(len(all)))
	}
	from, to := min(place(ses.Started), len(all)), len(all)
	if ses.State == session.StateClosed {
		to = min(max(place(ses.Last)+1, from), len(all))
	}
	for from > 0 && all[from-1].N > 0 {
		from--
	}
	l.Gap(from).Segs(term.Spark(&sc.Screen, s.rec.Hue(sc.Theme, i), all[from:to]))
}

func stretch(all []term.Slot, n int) []term.Slot {
	if len(all) >= n {
		return all
	}
	out := make([]term.Slot, n)
	for i, s := range all {
		out[i*n/len(all)] = s
	}
	return out
}

// drawHidden names the sessions without a lane, and sums them up.
func (s *Strip) drawHidden(sc *library.Scene, w int) string {
	th, sg := sc.Theme, sc.Glyphs
	calls, failed := 0, 0
	for _, i := range s.hidden {
		calls += s.rec.Session(i).Calls
		failed += s.rec.Session(i).Errors
	}
	sum := []term.Seg{term.S(th.Dim, term.Count(calls, "call"))}
	if failed > 0 {
		sum = append(sum, term.S(th.Err, "  "+term.Number(failed)+" "+sg.Err))
	}
	l := term.NewLine(w, sg).Gap(2)
	l.Put(th.Dim, "+"+term.Number(len(s.hidden))+" ")
	end := w - term.SegsWidth(sum) - 3
	for _, i := range s.hidden {
		name := s.rec.SessionName(i)
		if l.Used+term.Width(name)+2 > end {
			break
		}
		hue := s.rec.Hue(th, i)
		l.Put(hue, sg.Edge).Put(hue, name).Gap(1)
	}
	return l.Gap(w - term.SegsWidth(sum) - 1 - l.Used).Segs(sum).Finish()
}

// State is what the frame of the strip says at its right: the time it shows.
func (s *Strip) State(sc *library.Scene) []term.Seg {
	at := func(t int64) safe.Text {
		return safe.Time(s.rec.Started.Add(time.Duration(t)).Local(), "15:04:05")
	}
	return []term.Seg{term.S(sc.Theme.Dim, at(s.base)+" "+sc.Glyphs.Ellipsis+" "+at(s.end()))}
}

// At is the session whose lane stands on a line, -1 for none.
func (s *Strip) At(line int) int {
	if line < 0 || line >= len(s.shown) {
		return -1
	}
	return s.shown[line]
}

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
