package ui

import (
	"strconv"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
)

// arrowSigns are the glyphs of the arrows.
type arrowSigns struct {
	ask, answer, idle   string // lines
	right, left         string // heads
	rightNote, leftNote string // of a notification
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
	carrier        int // column, 0 for none
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
	carrier := 0
	if w >= 110 && rec.Tap == "http" {
		carrier = 22
	}
	gap := min(w-notes-carrier-a.client-2, 64+carrier/8)
	a.server = a.client + gap
	a.notes = a.server + 2
	if carrier > 0 {
		a.carrier = a.server + 3
		a.notes = a.carrier + carrier
	}
	return a
}

// scribe draws the lines of a diagram.
type scribe struct {
	sc   *library.Scene
	rec  *library.Recording
	one  *session.Session // nil for several, or none
	sg   arrowSigns
	at   lanes
	many bool // of sessions
}

func (v *sequence) draw(from host, sc *library.Scene, w, h int) []string {
	out := []string{titleLine(sc, w, "Sequence", true, v.titleState(from)...).Finish()}
	v.top = 2
	v.lines.fit(v.count(), max(h-2, 0))
	v.was.top = v.lines.top // no key moved it
	if v.count() == 0 {
		out = append(out, drawNothing(sc, w, from.Rows())...)
		return append(out, term.Blanks(h-len(out), w)...)[:h]
	}
	s := scribe{sc: sc, rec: sc.Rec, one: from.Scope().Current(), sg: arrowSignsOf(sc.ASCII), at: lanesOf(sc, w)}
	s.many = s.one == nil && len(s.rec.Tracker.Sessions()) > 1
	out = append(out, s.head())
	for i := v.lines.top; i < min(v.lines.top+v.lines.height, v.count()); i++ {
		out = append(out, s.line(v.beat(i), i == v.lines.sel))
	}
	for len(out) < h {
		out = append(out, s.rails(term.NewLine(w, sc.Glyphs)))
	}
	return out[:h]
}

// head names the lanes.
func (s *scribe) head() string {
	l, th := term.NewLine(s.at.w, s.sc.Glyphs), s.sc.Theme
	client, server := s.names()
	l.Gap(1).Right(th.Dim, "#", s.at.num+1).Right(th.Dim, s.timeName(), s.at.time)
	half := (s.at.server - s.at.client) / 2
	s.centred(l, th.C2s+term.Bold, client, s.at.client, l.Used+1, s.at.client+half-1)
	end := s.at.w
	if s.at.carrier > 0 {
		end = s.at.carrier - 2
	}
	s.centred(l, th.S2c+term.Bold, server, s.at.server, max(l.Used+1, s.at.client+half), end)
	if s.at.carrier > 0 {
		l.Gap(s.at.carrier-l.Used).Put(th.Dim, "transport")
	}
	return l.Finish()
}

func (s *scribe) timeName() safe.Text {
	if s.at.time == 0 {
		return ""
	}
	return "time"
}

// centred writes text around a column, between two others.
func (s *scribe) centred(l *term.Line, st term.Style, t safe.Text, column, from, to int) {
	n := min(term.Width(t), to-from)
	at := max(from, min(column-n/2, to-n))
	l.Gap(at-l.Used).PutMax(st, t, n)
}

func (s *scribe) names() (client, server safe.Text) {
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
			client = peerText(x.Client)
		}
		if x.Server.Name+x.Server.Title != "" {
			server = peerText(x.Server)
			break
		}
	}
	return client, server
}

// rails fills a line with the lanes alone.
func (s *scribe) rails(l *term.Line) string {
	s.to(l, s.at.client)
	l.Put(s.sc.Theme.Frame, safe.Text(s.sc.Glyphs.V))
	s.transport(l)
	return l.Finish()
}

// transport draws the lanes from the server's on.
func (s *scribe) transport(l *term.Line) {
	for _, x := range []int{s.at.server, s.at.carrier} {
		if x > 0 {
			s.to(l, x)
			l.Put(s.sc.Theme.Frame, safe.Text(s.sc.Glyphs.V))
		}
	}
}

func (s *scribe) to(l *term.Line, column int) { l.Gap(column - l.Used) }

func (s *scribe) line(b beat, chosen bool) string {
	l, th := term.NewLine(s.at.w, s.sc.Glyphs), s.sc.Theme
	if chosen {
		l.Selected(th, true)
		l.Put(th.Key, safe.Text(s.sc.Glyphs.Bar))
	} else {
		l.Gap(1)
	}
	switch b.kind {
	case beatGap:
		return s.between(l, th.Dim, s.gapText(b), s.sg.idle)
	case beatWaits:
		row := s.rec.Tracker.Row(int(b.row))
		t, _ := s.label(b, row)
		t = safe.Text(s.sc.Glyphs.Pend) + " #" + safe.Int(int(row.Request)) + " " + t
		t += " waits for " + term.Duration(library.Elapsed(s.sc.Now, s.rec, row.T))
		return s.between(l, th.Pend, t, " ")
	}
	row := s.rec.Tracker.Row(int(b.row))
	found := s.finding(b)
	if found != nil {
		sign, st := s.sc.Severity(found.Severity)
		l.Put(st, safe.Text(sign))
	} else {
		l.Gap(1)
	}
	if b.kind == beatAnswer {
		l.Gap(s.at.num)
	} else {
		l.Right(term.Plain, safe.Text("#"+strconv.Itoa(int(b.n))), s.at.num)
	}
	if s.at.time > 0 {
		l.Right(th.Dim, s.sc.Point(s.rec, s.time(b, row), s.time(b, row)), s.at.time)
	}
	s.to(l, s.at.client)
	l.Put(th.Frame, safe.Text(s.sc.Glyphs.V))
	s.middle(l, b, row)
	s.transport(l)
	if s.at.carrier > 0 {
		l.Gap(1).PutMax(th.Dim, s.carrier(b, row), s.at.notes-s.at.carrier-3)
	}
	s.note(l, b, row, found)
	return l.Finish()
}

// between writes text in the middle of the lanes.
func (s *scribe) between(l *term.Line, st term.Style, t safe.Text, glyph string) string {
	frame, room := s.sc.Theme.Frame, s.at.server-s.at.client-1
	s.to(l, s.at.client)
	l.Put(frame, safe.Text(s.sc.Glyphs.V))
	n := min(term.Width(t), room-2)
	start := s.at.client + 1 + (room-n)/2
	if glyph != " " {
		l.Gap(start-4-l.Used).Fill(frame, glyph, start-1)
	}
	l.Gap(start-l.Used).PutMax(st, t, n)
	if glyph != " " && room-n >= 10 {
		l.Gap(1).Fill(frame, glyph, l.Used+3)
	}
	s.transport(l)
	return l.Finish()
}

func (s *scribe) gapText(b beat) safe.Text {
	var from, to int64
	if f := s.rec.Frame(uint64(b.last)); f != nil {
		from = f.T
	}
	if f := s.rec.Frame(uint64(b.n)); f != nil {
		to = f.T
	}
	t := term.Duration(max(0, to-from))
	switch {
	case b.row == 1:
		return t + ", 1 call waits"
	case b.row > 1:
		return t + ", " + term.Count(int(b.row), "call") + " wait"
	}
	return t + " idle"
}

// time is the moment of a beat.
func (s *scribe) time(b beat, row *session.Row) int64 {
	if b.kind != beatAsk {
		if f := s.rec.Frame(uint64(b.n)); f != nil {
			return f.T
		}
	}
	return row.T
}

// middle draws what is between the lanes: an arrow, or words.
func (s *scribe) middle(l *term.Line, b beat, row *session.Row) {
	th := s.sc.Theme
	end, right := s.at.server, row.Dir == wire.ToServer
	if b.kind == beatNote || row.Dir == wire.NoDir {
		t, _ := s.label(b, row)
		n := min(term.Width(t), end-l.Used-3)
		l.Gap(end-n-2-l.Used).PutMax(s.tone(b, row, th.Dim), t, n).Gap(end - l.Used)
		return
	}
	right = right != (b.kind == beatAnswer)
	st := th.S2c
	if right {
		st = th.C2s
	}
	st = s.tone(b, row, st)
	glyph, heads := s.sg.ask, [2]string{s.sg.left, s.sg.right}
	switch b.kind {
	case beatAnswer:
		glyph = s.sg.answer
	case beatNotify, beatProgress:
		heads = [2]string{s.sg.leftNote, s.sg.rightNote}
	}
	t, tail := s.label(b, row)
	room := end - l.Used
	t = cutText(t, max(room-6-term.Width(tail), 8), s.sc.Glyphs) + tail
	n := min(term.Width(t), room-6)
	if !right {
		l.Put(st, safe.Text(heads[0]))
	}
	l.Fill(st, glyph, end-room+(room-n)/2-1).Gap(1)
	l.PutMax(s.tone(b, row, term.Plain), t, n).Gap(1)
	if right {
		l.Fill(st, glyph, end-1).Put(st, safe.Text(heads[1]))
	}
	l.Fill(st, glyph, end)
}
