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

// before compares sessions: the one with the worst findings first, then with the
// most failures, then the busiest, then the earlier.
func (s *Strip) before(a, b int) int {
	x, y := s.rec.Session(a), s.rec.Session(b)
	found := s.rec.Findings.BySession
	return cmp.Or(
		cmp.Compare(found[b].Errors(), found[a].Errors()), cmp.Compare(y.Errors, x.Errors),
		cmp.Compare(y.Calls, x.Calls), cmp.Compare(a, b),
	)
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
	l.Gap(from).Segs(term.Spark(&sc.Screen, s.rec.Hue(sc.Theme, i), all[from:to], true))
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
