package sequence

import (
	"cmp"
	"math"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

type arrowSigns struct {
	ask, answer         safe.Text // lines
	right, left         safe.Text // heads
	rightNote, leftNote safe.Text // of a notification
	start, dotted       safe.Text // where an arrow leaves its lane; a lane before it begins
	ping                safe.Text
}

func arrowSignsOf(ascii bool) arrowSigns {
	if ascii {
		return arrowSigns{"-", ".", ">", "<", ")", "(", "+", ":", "*"}
	}
	return arrowSigns{"─", "╌", "▶", "◀", "▸", "◂", "├", "┊", "◆"}
}

type renderer struct {
	sc  *library.Scene
	rec *library.Recording
	log *eventLog
	sg  arrowSigns
	at  lanes
}

// Draw implements view.View.
func (v *View) Draw(from view.Host, sc *library.Scene, w, h int) []string {
	p := term.Panel{Focus: true, Name: []term.Seg{term.S(sc.Theme.Title, "Sequence")}, State: v.titleState(from)}
	iw, ih := p.Inner(&sc.Screen, w, h)
	_, y := p.Origin(&sc.Screen)
	if v.count() == 0 {
		v.lines.Fit(0, max(ih-1, 0))
		v.was.Top = v.lines.Top
		return p.Draw(&sc.Screen, w, h, from.Rows().DrawNothing(sc, iw))
	}
	s := renderer{sc: sc, rec: sc.Rec, log: &v.log, sg: arrowSignsOf(sc.ASCII)}
	s.at = lanesOf(sc, v.Scope, v.seen(max(ih-4, 1)), iw)
	heads, legend := s.at.heads(ih), 0
	if ih >= 12 {
		legend = 1
	}
	v.top = y + heads
	v.lines.Fit(v.count(), max(ih-heads-legend, 0))
	v.was.Top = v.lines.Top // no key moved it
	out := s.head(heads)
	for i := v.lines.Top; i < min(v.lines.Top+v.lines.Height, v.count()); i++ {
		out = append(out, s.line(v.event(i), i == v.lines.Sel))
	}
	now := int64(math.MaxInt64)
	for len(out) < ih-legend {
		l := term.NewLine(iw, sc.Glyphs)
		s.rails(l, iw, now)
		out = append(out, l.Finish())
	}
	if legend > 0 {
		out = append(out, s.legend(v))
	}
	return p.Draw(&sc.Screen, w, h, out)
}

// begin begins a line: the bar of its session or of a failure, what was found
// there, number and time.
func (s *renderer) begin(e event, row *session.Row, chosen bool) *term.Line {
	th, bad := s.sc.Theme, row.Ending.Bad()
	var l *term.Line
	switch {
	case chosen:
		l = s.sc.Row(s.at.w, true, true)
	case bad:
		l = term.NewLine(s.at.w, s.sc.Glyphs).On(th.Removed).Put(th.Err, s.sc.Glyphs.Edge)
	case s.at.shared:
		l = term.NewLine(s.at.w, s.sc.Glyphs).Put(s.rec.Hue(th, int(row.Session)), s.sc.Glyphs.Edge)
	default:
		l = s.sc.Row(s.at.w, false, true)
	}
	if found := s.finding(e); found != nil {
		sign, st := s.sc.Severity(found.Severity)
		l.Put(st, sign)
	}
	l.Gap(2 - l.Used)
	if e.kind == timeline.Response || e.kind == eventPings {
		l.Gap(s.at.num)
	} else {
		l.Right(th.Dim, safe.Int(cmp.Or(e.n, row.Request)), s.at.num)
	}
	if s.at.time > 0 && e.kind != timeline.Response && e.kind != eventWaits {
		t := s.time(e, row)
		l.Right(th.Dim, s.sc.Point(s.rec, t), s.at.time)
	}
	return l
}

func (s *renderer) line(e event, chosen bool) string {
	th := s.sc.Theme
	if e.kind == eventGap {
		l := s.sc.Row(s.at.w, chosen, true).Gap(1).Put(th.Dim, s.gapText(e)).Gap(1)
		s.rails(l, s.at.w, -1)
		return l.Finish()
	}
	row := s.rec.Tracker.Row(int(e.row))
	l, t := s.begin(e, row, chosen), s.time(e, row)
	switch {
	case e.kind == eventWaits:
		s.waits(l, e.row, t)
	case e.kind == eventPings:
		s.pings(l, e, t)
	case e.kind == timeline.Note || row.Dir == wire.NoDir:
		s.beside(l, e, row, t)
	default:
		s.arrow(l, e, row, t)
	}
	s.note(l, e, row, s.finding(e))
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
		return t + ", 1 call pending"
	case e.row > 1:
		return t + ", " + term.Count(int(e.row), "call") + " pending"
	}
	return t + " idle"
}

func (s *renderer) time(e event, row *session.Row) int64 {
	if e.kind != timeline.Request {
		if f := s.rec.Frame(uint64(e.n)); f != nil {
			return f.T
		}
	}
	return row.T
}

// from is the column where the lane of a row's client stands. Clients without a
// lane have none.
func (s *renderer) from(row *session.Row) int {
	if a := s.at.of(int(row.Session)); a != nil {
		return a.x
	}
	return s.at.left
}

func (s *renderer) hue(row *session.Row) term.Style { return s.rec.Hue(s.sc.Theme, int(row.Session)) }

// waits says that a call has no response yet.
func (s *renderer) waits(l *term.Line, i int32, t int64) {
	row := s.rec.Tracker.Row(int(i))
	x, end := s.from(row), s.at.to(int(row.Session)).x
	s.rails(l, x+1, t)
	took := " pending for " + term.Duration(library.Elapsed(s.sc.Now, s.rec, row.T))
	l.Gap(x+3-l.Used).Put(s.sc.Theme.Pend, s.sc.Glyphs.Pend).Gap(1)
	room := end - 2 - l.Used - term.Width(took)
	for _, seg := range s.request(i) {
		n := min(term.Width(seg.Text), room)
		l.PutMax(seg.Style, seg.Text, n)
		room -= n
	}
	l.Put(s.sc.Theme.Pend, took)
	s.rails(l, s.at.w, t)
}

// pings draws many of them in one line, a sign in the lane of each.
func (s *renderer) pings(l *term.Line, e event, t int64) {
	in := map[int]bool{}
	ok := s.log.pinged(e, func(session int) { in[session] = true })
	text, st := term.Count(int(e.many), "ping"), s.sc.Theme.Dim
	if ok {
		text += " " + s.sc.Glyphs.Ok
	}
	for i := range s.at.clients {
		a := &s.at.clients[i]
		s.rails(l, a.x, t)
		if glyph := s.sg.ping; in[a.session] || a.session == everyone {
			l.Gap(a.x-l.Used).Put(a.st, glyph)
		} else {
			s.rails(l, a.x+1, t)
		}
	}
	end := s.at.servers[0].x - 4
	l.Gap(end-term.Width(text)-l.Used).PutMax(st, text, end-l.Used)
	s.rails(l, s.at.w, t)
}

func (s *renderer) beside(l *term.Line, e event, row *session.Row, t int64) {
	end := s.at.to(int(row.Session)).x
	text := joined(s.words(e.row), safe.Line(s.rec.Texts.Of(int(e.row)).Result))
	first := s.at.clients[0].x
	n := min(term.Width(text), end-2-first-2)
	s.rails(l, end-n-3, t)
	st := s.sc.Theme.Dim
	if row.Ending.Bad() {
		st = s.sc.Theme.Err
	}
	l.Gap(end-n-2-l.Used).PutMax(st, text, n)
	s.rails(l, s.at.w, t)
}

// arrow draws an arrow between a client and its server, with what it says, and
// how long it took at the server's end.
func (s *renderer) arrow(l *term.Line, e event, row *session.Row, t int64) {
	x, end := s.from(row), s.at.to(int(row.Session)).x
	right := (row.Dir == wire.ToServer) != (e.kind == timeline.Response)
	st, line, heads := s.hue(row), s.sg.ask, [2]safe.Text{s.sg.left, s.sg.right}
	if row.Ending.Bad() {
		st = s.sc.Theme.Err
	}
	switch e.kind {
	case timeline.Response:
		line = s.sg.answer
	case timeline.Notification, eventProgress:
		heads = [2]safe.Text{s.sg.leftNote, s.sg.rightNote}
	}
	s.rails(l, x, t)
	l.Gap(x - l.Used)
	atClient, atServer := s.gate(e, row, right)
	last := end
	if atServer {
		last = end - len(gateSign)
	}
	switch {
	case atClient:
		l.Put(s.sc.Theme.Warn, s.sc.Glyphs.Issued+" gate ")
	case right:
		l.Put(st, s.sg.start)
	default:
		l.Put(st, heads[0])
	}
	l.Fill(st, line, x+3).Gap(1)
	segs, tail := s.label(e, row)
	s.body(l, st, line, segs, tail, last)
	switch {
	case atServer:
		l.Gap(1).Put(s.sc.Theme.Warn, s.sc.Glyphs.Issued+" gate")
	case right:
		l.Put(st, heads[1])
	default:
		l.Put(st, line)
	}
	s.rails(l, s.at.w, t)
}

// gateSign is as wide as what stands where an arrow begins or ends at the gate.
const gateSign = "* gate   "

// gate says whether an arrow does not reach the client, or the server, or does not come
// from there: the gate kept the message, or made it.
func (s *renderer) gate(e event, row *session.Row, right bool) (atClient, atServer bool) {
	tracker, kept := s.rec.Tracker, false
	fate := tracker.Fate(row, row.Dir)
	if e.kind == timeline.Response {
		kept = tracker.Fate(row, row.Dir.Opposite()) == wire.GateDrop
		if fate == wire.GateAnswer {
			return right, !right
		}
	} else {
		kept = fate != ""
	}
	return kept && !right, kept && right
}

// body draws the middle of an arrow, with what it says, up to the cell before end.
func (s *renderer) body(l *term.Line, st term.Style, line safe.Text, segs []term.Seg, tail safe.Text, end int) {
	stop := end - 3
	if tail != "" {
		stop = end - 5 - max(term.Width(tail), 6)
	}
	from := l.Used
	for _, seg := range segs {
		l.PutMax(seg.Style, seg.Text, stop-1-l.Used)
	}
	if l.Used > from {
		l.Gap(1)
	}
	if tail != "" {
		l.Fill(st, line, end-4-term.Width(tail)).Gap(1).Put(s.sc.Theme.Dim, tail).Gap(1)
	}
	l.Fill(st, line, end-1)
}

// legend explains the signs, as many as there is room for.
func (s *renderer) legend(v *View) string {
	l, th := term.NewLine(s.at.w, s.sc.Glyphs), s.sc.Theme
	line, dash := s.sg.ask+s.sg.ask, s.sg.answer+s.sg.answer
	l.Gap(1)
	for _, x := range []struct {
		on   bool
		sign safe.Text
		st   term.Style
		text safe.Text
	}{
		{true, line + s.sg.right, term.Plain, "request"},
		{true, s.sg.left + dash, term.Plain, "response"},
		{true, line + s.sg.rightNote, term.Plain, "notification"},
		{v.log.pings > 0, s.sg.ping, term.Plain, "ping, folded"},
		{true, line + s.sg.right, th.Err, "failed"},
		{true, s.sg.dotted, th.Dim, "not connected yet, or idle"},
	} {
		if x.on && l.Used+term.Width(x.sign+x.text)+2 < s.at.w {
			l.Put(x.st, x.sign).Gap(1).Put(th.Dim, x.text).Gap(2)
		}
	}
	return l.Finish()
}
