package timeline

import (
	"midwire/session"
	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// spent is where the time of a session went, as of so many frames.
type spent struct {
	rec     *library.Recording
	session int
	frames  int
	budget  insight.Budget
}

// budget is where the time of a session went. Of a long session that goes on some more
// messages need not be looked at at once.
func (s *Strip) budget(rec *library.Recording, ses *session.Session) insight.Budget {
	const few = 4096
	was, n := &s.spent, len(rec.Frames)
	same := was.rec == rec && was.session == ses.Index
	if same && (was.frames == n || rec.Live && n > few && n-was.frames < n/64) {
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
	var legend []term.Seg
	for _, p := range parts {
		took := term.S(term.Plain, term.Duration(p.Time))
		legend = append(legend, term.S(styles[p.Name], "  "+sg.Block+" "), term.S(th.Dim, safe.Line(p.Name)+" "), took)
	}
	room := l.Max - l.Used - term.SegsWidth(legend) - 1
	if room < 2*len(parts) || b.Total <= 0 {
		l.Segs(legend)
		return
	}
	room = min(room, 60)
	for _, p := range parts {
		n := max(int(float64(room)*float64(p.Time)/float64(b.Total)+0.5), 1)
		l.Fill(styles[p.Name], sg.Block, l.Used+n)
	}
	l.Segs(legend)
}
