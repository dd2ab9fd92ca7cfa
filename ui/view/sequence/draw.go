package sequence

import (
	"strconv"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// arrowSigns are the glyphs of the arrows.
type arrowSigns struct {
	ask, answer, idle   safe.Text // lines
	right, left         safe.Text // heads
	rightNote, leftNote safe.Text // of a notification
}

func arrowSignsOf(ascii bool) arrowSigns {
	if ascii {
		return arrowSigns{"-", ".", ".", ">", "<", ")", "("}
	}
	return arrowSigns{"─", "╌", "┄", "▶", "◀", "▷", "◁"}
}

// lanes says where everything stands on a line of the diagram.
type lanes struct {
	num, time      int // cells
	client, server int // columns
	transport      int // column, 0 for none
	notes, w       int // column
}

func lanesOf(sc *library.Scene, w int) lanes {
	rec := sc.Rec
	a := lanes{num: 4, w: w}
	if n := len(rec.Frames); n > 0 {
		a.num = max(a.num, 1+len(strconv.Itoa(int(rec.Frames[n-1].N))))
	}
	at := 2 + a.num
	if w >= 70 {
		if a.time = 9; sc.Time == term.ClockTime {
			a.time = 13
		}
		at += a.time
	}
	a.client = at + 2
	notes := 4
	switch {
	case w < 70:
	case rec.Findings.Total.Sum() == 0:
		notes = 18
	case w >= 100:
		notes = w * 22 / 100
	default:
		notes = w / 4
	}
	transport := 0
	if w >= 110 && rec.Tap == "http" {
		transport = 22
	}
	gap := min(w-notes-transport-a.client-2, 64+transport/8)
	a.server = a.client + gap
	a.notes = a.server + 2
	if transport > 0 {
		a.transport = a.server + 3
		a.notes = a.transport + transport
	}
	return a
}

// renderer draws the lines of a diagram.
type renderer struct {
	sc   *library.Scene
	rec  *library.Recording
	one  *session.Session // nil for several, or none
	sg   arrowSigns
	at   lanes
	many bool // of sessions
}

// Draw implements view.View.
func (v *View) Draw(from view.Host, sc *library.Scene, w, h int) []string {
	out := []string{view.Title(sc, w, "Sequence", true, v.titleState(from)...).Finish()}
	v.top = 2
	v.lines.Fit(v.count(), max(h-2, 0))
	v.was.Top = v.lines.Top // no key moved it
	if v.count() == 0 {
		return view.Page(w, h, out[0], from.Rows().DrawNothing(sc, w))
	}
	s := renderer{sc: sc, rec: sc.Rec, one: from.Scope().Current(), sg: arrowSignsOf(sc.ASCII), at: lanesOf(sc, w)}
	s.many = s.one == nil && len(s.rec.Tracker.Sessions()) > 1
	out = append(out, s.head())
	for i := v.lines.Top; i < min(v.lines.Top+v.lines.Height, v.count()); i++ {
		out = append(out, s.line(v.event(i), i == v.lines.Sel))
	}
	for len(out) < h {
		out = append(out, s.rails(term.NewLine(w, sc.Glyphs)))
	}
	return out[:h]
}

// head names the lanes.
func (s *renderer) head() string {
	l, th := term.NewLine(s.at.w, s.sc.Glyphs), s.sc.Theme
	client, server := s.names()
	l.Gap(1).Right(th.Dim, "#", s.at.num+1).Right(th.Dim, s.timeName(), s.at.time)
	half := (s.at.server - s.at.client) / 2
	s.centred(l, th.ToServer+term.Bold, client, s.at.client, l.Used+1, s.at.client+half-1)
	end := s.at.w
	if s.at.transport > 0 {
		end = s.at.transport - 2
	}
	s.centred(l, th.ToClient+term.Bold, server, s.at.server, max(l.Used+1, s.at.client+half), end)
	if s.at.transport > 0 {
		l.Gap(s.at.transport-l.Used).Put(th.Dim, "transport")
	}
	return l.Finish()
}

func (s *renderer) timeName() safe.Text {
	if s.at.time == 0 {
		return ""
	}
	return "time"
}

// centred writes text around a column, between two others.
func (s *renderer) centred(l *term.Line, st term.Style, t safe.Text, column, from, to int) {
	n := min(term.Width(t), to-from)
	at := max(from, min(column-n/2, to-n))
	l.Gap(at-l.Used).PutMax(st, t, n)
}

func (s *renderer) names() (client, server safe.Text) {
	client, server = "client", "server"
	all := s.rec.Tracker.Sessions()
	if s.many {
		client = "clients"
	}
	for _, x := range all[:min(len(all), 64)] {
		if s.one != nil && x != s.one {
			continue
		}
		if x.Client.Name+x.Client.Title != "" && !s.many {
			client = library.PeerText(x.Client)
		}
		switch name := library.PeerText(x.Server); {
		case x.Server.Name+x.Server.Title == "" || server == name:
		case server == "server":
			server = name
		case s.rec.Merges():
			return client, "servers"
		}
	}
	return client, server
}

// rails fills a line with the lanes alone.
func (s *renderer) rails(l *term.Line) string {
	s.to(l, s.at.client)
	l.Put(s.sc.Theme.Frame, s.sc.Glyphs.V)
	s.lifelines(l)
	return l.Finish()
}

// lifelines draws the lanes from the server's on.
func (s *renderer) lifelines(l *term.Line) {
	for _, x := range []int{s.at.server, s.at.transport} {
		if x > 0 {
			s.to(l, x)
			l.Put(s.sc.Theme.Frame, s.sc.Glyphs.V)
		}
	}
}

func (s *renderer) to(l *term.Line, column int) { l.Gap(column - l.Used) }

func (s *renderer) line(e event, chosen bool) string {
	l, th := s.sc.Row(s.at.w, chosen, true), s.sc.Theme
	switch e.kind {
	case eventGap:
		return s.between(l, th.Dim, s.gapText(e), s.sg.idle)
	case eventWaits:
		row := s.rec.Tracker.Row(int(e.row))
		t, _ := s.label(e, row)
		t = s.sc.Glyphs.Pend + " #" + safe.Int(int(row.Request)) + " " + t
		t += " waits for " + term.Duration(library.Elapsed(s.sc.Now, s.rec, row.T))
		return s.between(l, th.Pend, t, " ")
	}
	row := s.rec.Tracker.Row(int(e.row))
	found := s.finding(e)
	if found != nil {
		sign, st := s.sc.Severity(found.Severity)
		l.Put(st, sign)
	} else {
		l.Gap(1)
	}
	if e.kind == timeline.Response {
		l.Gap(s.at.num)
	} else {
		l.Right(term.Plain, "#"+safe.Int(e.n), s.at.num)
	}
	if s.at.time > 0 {
		l.Right(th.Dim, s.sc.Point(s.rec, s.time(e, row), s.time(e, row)), s.at.time)
	}
	s.to(l, s.at.client)
	l.Put(th.Frame, s.sc.Glyphs.V)
	s.middle(l, e, row)
	s.lifelines(l)
	if s.at.transport > 0 {
		l.Gap(1).PutMax(th.Dim, s.transport(e, row), s.at.notes-s.at.transport-3)
	}
	s.note(l, e, row, found)
	return l.Finish()
}

// between writes text in the middle of the lanes.
func (s *renderer) between(l *term.Line, st term.Style, t safe.Text, glyph safe.Text) string {
	frame, room := s.sc.Theme.Frame, s.at.server-s.at.client-1
	s.to(l, s.at.client)
	l.Put(frame, s.sc.Glyphs.V)
	n := min(term.Width(t), room-2)
	start := s.at.client + 1 + (room-n)/2
	if glyph != " " {
		l.Gap(start-4-l.Used).Fill(frame, glyph, start-1)
	}
	l.Gap(start-l.Used).PutMax(st, t, n)
	if glyph != " " && room-n >= 10 {
		l.Gap(1).Fill(frame, glyph, l.Used+3)
	}
	s.lifelines(l)
	return l.Finish()
}

func (s *renderer) gapText(e event) safe.Text {
	var from, to int64
	if f := s.rec.Frame(uint64(e.last)); f != nil {
		from = f.T
	}
	if f := s.rec.Frame(uint64(e.n)); f != nil {
		to = f.T
	}
	t := term.Duration(max(0, to-from))
	switch {
	case e.row == 1:
		return t + ", 1 call waits"
	case e.row > 1:
		return t + ", " + term.Count(int(e.row), "call") + " wait"
	}
	return t + " idle"
}

// time is the moment of an event.
func (s *renderer) time(e event, row *session.Row) int64 {
	if e.kind != timeline.Request {
		if f := s.rec.Frame(uint64(e.n)); f != nil {
			return f.T
		}
	}
	return row.T
}

// middle draws what is between the lanes: an arrow, or words.
func (s *renderer) middle(l *term.Line, e event, row *session.Row) {
	th := s.sc.Theme
	end, right := s.at.server, row.Dir == wire.ToServer
	if e.kind == timeline.Note || row.Dir == wire.NoDir {
		t, _ := s.label(e, row)
		n := min(term.Width(t), end-l.Used-3)
		l.Gap(end-n-2-l.Used).PutMax(s.tone(e, row, th.Dim), t, n).Gap(end - l.Used)
		return
	}
	right = right != (e.kind == timeline.Response)
	st := th.ToClient
	if right {
		st = th.ToServer
	}
	st = s.tone(e, row, st)
	glyph, heads := s.sg.ask, [2]safe.Text{s.sg.left, s.sg.right}
	switch e.kind {
	case timeline.Response:
		glyph = s.sg.answer
	case timeline.Notification, eventProgress:
		heads = [2]safe.Text{s.sg.leftNote, s.sg.rightNote}
	}
	t, tail := s.label(e, row)
	room := end - l.Used
	t = term.Shorten(t, max(room-6-term.Width(tail), 8), s.sc.Glyphs) + tail
	n := min(term.Width(t), room-6)
	if !right {
		l.Put(st, heads[0])
	}
	l.Fill(st, glyph, end-room+(room-n)/2-1).Gap(1)
	l.PutMax(s.tone(e, row, term.Plain), t, n).Gap(1)
	if right {
		l.Fill(st, glyph, end-1).Put(st, heads[1])
	}
	l.Fill(st, glyph, end)
}
