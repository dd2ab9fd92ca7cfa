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
	names := 0
	for _, i := range s.shown {
		names = max(names, term.Width(s.rec.SessionName(i)))
	}
	names = min(names, max(w/6, 13))
	var out []string
	for _, i := range s.shown {
		out = append(out, s.drawLane(sc, w, names, i, i == chosen))
	}
	if len(s.hidden) > 0 {
		out = append(out, s.drawHidden(sc, w))
	}
	return out
}

// numbers is what a lane says at its right: widths by the width of the screen.
func numbers(w int) (calls, slow, words int) {
	switch {
	case w >= 150:
		return 13, 7, 48
	case w >= 110:
		return 11, 7, 28
	case w >= 90:
		return 11, 0, 18
	}
	return 10, 0, 16
}

func (s *Strip) drawLane(sc *library.Scene, w, names, i int, chosen bool) string {
	th, sg := sc.Theme, sc.Glyphs
	ses, hue := s.rec.Session(i), s.rec.Hue(sc.Theme, i)
	l := term.NewLine(w, sg)
	if chosen {
		l.Selected(th, false)
	}
	if sc.Boxed {
		l.Gap(1)
	}
	l.Put(hue, sg.Edge).Gap(1).Cell(hue, s.rec.SessionName(i), names).Gap(1)
	calls, slow, rest := numbers(w)
	room := max(w-l.Used-calls-slow-rest-5, 8)
	from := l.Used
	s.drawSpark(l, sc, ses, i, room)
	l.Gap(from + room - l.Used)
	count := safe.Text("")
	if ses.Calls > 0 {
		count = term.Count(ses.Calls, "call")
	}
	l.Right(th.Dim, count, calls)
	if slow > 0 {
		p95 := safe.Text("")
		if t := s.rec.Slow(i); t > 0 {
			p95 = term.Duration(t)
		}
		l.Right(th.Dim, p95, slow)
	}
	failed := safe.Text("")
	if ses.Errors > 0 {
		failed = term.Number(ses.Errors) + " " + sg.Err
	}
	l.Right(th.Err, failed, max(5, term.Width(failed)+1))
	rest = w - 2 - l.Used
	verdict := s.rec.Judgement(sc, i, rest)
	if ses.Errors > 0 && strings.HasPrefix(string(verdict[0].Text), string(sg.Err)) { // the sign is there already
		verdict = s.rec.Judgement(sc, i, rest+2)
		verdict[0].Text = safe.Line(strings.TrimPrefix(string(verdict[0].Text), string(sg.Err)+" "))
	}
	return l.Gap(1).Segs(verdict).Finish()
}

// drawSpark draws when a session said how much, blank before it began and, if it
// has ended, behind its end.
func (s *Strip) drawSpark(l *term.Line, sc *library.Scene, ses *session.Session, i, room int) {
	all := s.Slots(i, room)
	all = stretch(all, room)
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

// stretch makes n slots of fewer.
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
	if sc.Boxed {
		l.Gap(1)
	}
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
