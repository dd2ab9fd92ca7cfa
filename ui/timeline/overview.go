package timeline

import (
	"midwire/session"
	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Height is how many lines Draw has something for on a screen of h, when so many
// sessions are shown together: the life cycle of one, or lanes of several.
func Height(sessions, h int, boxed bool) int {
	n, frame := 1, 0
	if boxed {
		n, frame = 2, 2
	}
	lanes := MaxLanes
	switch {
	case sessions < 2:
		return n + frame
	case h < 24:
		return 0
	case h < 30:
		lanes = 3
	}
	return min(sessions, lanes+1) + frame
}

// Draw draws what stands above the messages of a scope: the life cycle of its
// session, or a lane for each of several. The lane of the chosen one stands out.
func (s *Strip) Draw(sc *library.Scene, of library.Scope, w, h, chosen int) []string {
	if h <= 0 {
		return nil
	}
	p := sc.Theme.Panel("Timeline")
	iw, ih := w, h
	if framed := h > 1 && sc.Boxed; framed {
		iw, ih = p.Inner(&sc.Screen, w, h)
	}
	var out []string
	switch ses := of.Current(); {
	case ses != nil:
		p.Name = of.Rec.Peers(sc, ses)
		p.State = of.Rec.Judgement(sc, ses.Index, w-term.SegsWidth(p.Name)-12)
		out = s.drawLifecycle(sc, of.Rec, ses, iw, ih)
	case of.Sessions() > 1:
		s.Of(of.Rec)
		out = s.drawLanes(sc, iw, ih, chosen)
		p.State = s.State(sc)
	default:
		out = []string{noSession(sc, of, iw)}
	}
	if iw == w {
		return out
	}
	return p.Draw(&sc.Screen, w, h, out)
}

// drawLifecycle draws the steps of a session, and where its time went.
func (s *Strip) drawLifecycle(sc *library.Scene, rec *library.Recording, ses *session.Session, w, h int) []string {
	one, two := term.NewLine(w, sc.Glyphs), term.NewLine(w, sc.Glyphs)
	steps := detail.Judged(rec, ses)
	detail.DrawLifecycle(one, sc, steps)
	if h == 1 {
		return []string{one.Finish()}
	}
	b := s.budget(rec, ses)
	DrawBudget(two, sc, &b)
	return []string{one.Finish(), two.Finish()}
}

func noSession(sc *library.Scene, of library.Scope, w int) string {
	l, r := term.NewLine(w, sc.Glyphs).Gap(1), of.Rec
	switch {
	case r == nil:
	case of.Session == library.NoSession:
		l.Put(sc.Theme.Dim, "messages that belong to no session")
	case r.Live:
		l.Put(sc.Theme.Dim, "no session so far")
	case r.Opened && r.Loaded():
		l.Put(sc.Theme.Dim, "no session")
	}
	return l.Finish()
}

// spent is where the time of a session went, as of so many frames.
type spent struct {
	rec     *library.Recording
	session int
	frames  int
	budget  insight.Budget
}

// budget is where the time of a session went. It looks at every row, so it is made anew
// only when a long session has grown by a part of itself, and seldom while a file is read.
func (s *Strip) budget(rec *library.Recording, ses *session.Session) insight.Budget {
	const few = 4096
	was, n := &s.spent, len(rec.Frames)
	same := was.rec == rec && was.session == ses.Index
	goesOn := rec.Live && n-was.frames < n/64 || rec.Loads() && n < 2*was.frames
	if same && (was.frames == n || n > few && goesOn) {
		return was.budget
	}
	*was = spent{rec, ses.Index, n, rec.Budget(ses)}
	return was.budget
}

// DrawBudget writes where the time went: a bar whose parts are as long as what they stand
// for, and in words.
func DrawBudget(l *term.Line, sc *library.Scene, b *insight.Budget) {
	th, sg := sc.Theme, sc.Glyphs
	l.Gap(1).Put(th.Dim, "took ").Put(th.Title, term.Duration(b.Total)).Gap(2)
	styles := map[string]term.Style{"client": th.Dim, "server": th.ToServer, "person": th.ToClient, "gate": th.Warn}
	parts := b.Parts()
	block := func(int) safe.Text { return sg.Block }
	if th.ToServer == th.ToClient { // nothing but the signs tells them apart
		signs := [...]safe.Text{sg.Block, "▒", "░", "▖"}
		if sc.ASCII {
			signs = [...]safe.Text{"#", "=", "-", "."}
		}
		block = func(i int) safe.Text { return signs[i%len(signs)] }
	}
	var legend []term.Seg
	for i, p := range parts {
		took := term.S(term.Plain, term.Duration(p.Time))
		legend = append(legend, term.S(styles[p.Name], "  "+block(i)+" "), term.S(th.Dim, safe.Line(p.Name)+" "), took)
	}
	room := l.Max - l.Used - term.SegsWidth(legend) - 1
	if room < 2*len(parts) || b.Total <= 0 {
		l.Segs(legend)
		return
	}
	room = min(room, 60)
	for i, p := range parts {
		n := max(int(float64(room)*float64(p.Time)/float64(b.Total)+0.5), 1)
		l.Fill(styles[p.Name], block(i), l.Used+n)
	}
	l.Segs(legend)
}
