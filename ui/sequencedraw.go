package ui

import (
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
)

// arrowSigns are the glyphs of the arrows.
type arrowSigns struct {
	ask, answer, idle   string // lines
	right, left         string // heads
	rightNote, leftNote string // of a notification
}

func (m *Model) arrowSigns() arrowSigns {
	if m.opts.ASCII {
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

func (m *Model) lanes(w int) lanes {
	rec := m.list.rec
	a := lanes{num: 4, w: w}
	if n := len(rec.frames); n > 0 {
		a.num = max(a.num, 1+len(itoa(int(rec.frames[n-1].N))))
	}
	at := 2 + a.num
	if w >= 70 {
		if a.time = 9; m.time == clockTime {
			a.time = 13
		}
		at += a.time
	}
	a.client = at + 2
	notes := 4
	switch {
	case w < 70:
	case rec.finds.total.sum() == 0:
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
	m    *Model
	sc   *scene
	rec  *recording
	sg   arrowSigns
	at   lanes
	many bool // of sessions
}

func (v *sequence) draw(m *Model, sc *scene, w, h int) []string {
	out := []string{m.title(w, "Sequence", true, v.titleState(m)...).finish()}
	v.top = 2
	v.lines.fit(v.count(), max(h-2, 0))
	v.was.top = v.lines.top // no key moved it
	if v.count() == 0 {
		out = append(out, m.drawNothing(w)...)
		return append(out, blanks(h-len(out), w)...)[:h]
	}
	s := scribe{m: m, sc: sc, rec: m.list.rec, sg: m.arrowSigns(), at: m.lanes(w)}
	s.many = m.list.current() == nil && len(s.rec.t.Sessions()) > 1
	out = append(out, s.head())
	for i := v.lines.top; i < min(v.lines.top+v.lines.height, v.count()); i++ {
		out = append(out, s.line(v.beat(i), i == v.lines.sel))
	}
	for len(out) < h {
		out = append(out, s.rails(newLine(w, &m.sg)))
	}
	return out[:h]
}

// head names the lanes.
func (s *scribe) head() string {
	l, th := newLine(s.at.w, &s.m.sg), s.sc.th
	client, server := s.names()
	l.gap(1).right(th.dim, "#", s.at.num+1).right(th.dim, s.timeName(), s.at.time)
	half := (s.at.server - s.at.client) / 2
	s.centred(l, th.c2s+bold, client, s.at.client, l.w+1, s.at.client+half-1)
	end := s.at.w
	if s.at.carrier > 0 {
		end = s.at.carrier - 2
	}
	s.centred(l, th.s2c+bold, server, s.at.server, max(l.w+1, s.at.client+half), end)
	if s.at.carrier > 0 {
		l.gap(s.at.carrier-l.w).put(th.dim, "transport")
	}
	return l.finish()
}

func (s *scribe) timeName() safe.Text {
	if s.at.time == 0 {
		return ""
	}
	return "time"
}

// centred writes text around a column, between two others.
func (s *scribe) centred(l *line, st style, t safe.Text, column, from, to int) {
	n := min(width(t), to-from)
	at := max(from, min(column-n/2, to-n))
	l.gap(at-l.w).putMax(st, t, n)
}

func (s *scribe) names() (client, server safe.Text) {
	client, server = "client", "server"
	all := s.rec.t.Sessions()
	one := s.m.list.current()
	if s.many {
		client = "clients"
	}
	for _, x := range all[:min(len(all), 64)] {
		if one != nil && x != one {
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
func (s *scribe) rails(l *line) string {
	s.to(l, s.at.client)
	l.put(s.sc.th.frame, safe.Text(s.m.sg.v))
	s.transport(l)
	return l.finish()
}

// transport draws the lanes from the server's on.
func (s *scribe) transport(l *line) {
	for _, x := range []int{s.at.server, s.at.carrier} {
		if x > 0 {
			s.to(l, x)
			l.put(s.sc.th.frame, safe.Text(s.m.sg.v))
		}
	}
}

func (s *scribe) to(l *line, column int) { l.gap(column - l.w) }

func (s *scribe) line(b beat, chosen bool) string {
	l, th := newLine(s.at.w, &s.m.sg), s.sc.th
	if chosen {
		l.selected(th, true)
		l.put(th.key, safe.Text(s.m.sg.bar))
	} else {
		l.gap(1)
	}
	switch b.kind {
	case beatGap:
		return s.between(l, th.dim, s.gapText(b), s.sg.idle)
	case beatWaits:
		row := s.rec.t.Row(int(b.row))
		t, _ := s.label(b, row)
		t = safe.Text(s.m.sg.pend+" #"+itoa(int(row.Request))+" ") + t + " waits for " + duration(elapsed(s.sc.now, s.rec, row.T))
		return s.between(l, th.pend, t, " ")
	}
	row := s.rec.t.Row(int(b.row))
	found := s.finding(b)
	if found != nil {
		sign, st := s.sc.severity(found.Severity)
		l.put(st, safe.Text(sign))
	} else {
		l.gap(1)
	}
	if b.kind == beatAnswer {
		l.gap(s.at.num)
	} else {
		l.right(plain, safe.Text("#"+itoa(int(b.n))), s.at.num)
	}
	if s.at.time > 0 {
		l.right(th.dim, s.sc.point(s.rec, s.time(b, row), s.time(b, row)), s.at.time)
	}
	s.to(l, s.at.client)
	l.put(th.frame, safe.Text(s.m.sg.v))
	s.middle(l, b, row)
	s.transport(l)
	if s.at.carrier > 0 {
		l.gap(1).putMax(th.dim, s.carrier(b, row), s.at.notes-s.at.carrier-3)
	}
	s.note(l, b, row, found)
	return l.finish()
}

// between writes text in the middle of the lanes.
func (s *scribe) between(l *line, st style, t safe.Text, glyph string) string {
	frame, room := s.sc.th.frame, s.at.server-s.at.client-1
	s.to(l, s.at.client)
	l.put(frame, safe.Text(s.m.sg.v))
	n := min(width(t), room-2)
	start := s.at.client + 1 + (room-n)/2
	if glyph != " " {
		l.gap(start-4-l.w).fill(frame, glyph, start-1)
	}
	l.gap(start-l.w).putMax(st, t, n)
	if glyph != " " && room-n >= 10 {
		l.gap(1).fill(frame, glyph, l.w+3)
	}
	s.transport(l)
	return l.finish()
}

func (s *scribe) gapText(b beat) safe.Text {
	var from, to int64
	if f := s.rec.frame(uint64(b.last)); f != nil {
		from = f.T
	}
	if f := s.rec.frame(uint64(b.n)); f != nil {
		to = f.T
	}
	t := duration(max(0, to-from))
	switch {
	case b.row == 1:
		return t + ", 1 call waits"
	case b.row > 1:
		return t + ", " + count(int(b.row), "call") + " wait"
	}
	return t + " idle"
}

// time is the moment of a beat.
func (s *scribe) time(b beat, row *session.Row) int64 {
	if b.kind != beatAsk {
		if f := s.rec.frame(uint64(b.n)); f != nil {
			return f.T
		}
	}
	return row.T
}

// middle draws what is between the lanes: an arrow, or words.
func (s *scribe) middle(l *line, b beat, row *session.Row) {
	th := s.sc.th
	end, right := s.at.server, row.Dir == wire.ToServer
	if b.kind == beatNote || row.Dir == wire.NoDir {
		t, _ := s.label(b, row)
		n := min(width(t), end-l.w-3)
		l.gap(end-n-2-l.w).putMax(s.tone(b, row, th.dim), t, n).gap(end - l.w)
		return
	}
	right = right != (b.kind == beatAnswer)
	st := th.s2c
	if right {
		st = th.c2s
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
	room := end - l.w
	t = cutText(t, max(room-6-width(tail), 8), &s.m.sg) + tail
	n := min(width(t), room-6)
	if !right {
		l.put(st, safe.Text(heads[0]))
	}
	l.fill(st, glyph, end-room+(room-n)/2-1).gap(1)
	l.putMax(s.tone(b, row, plain), t, n).gap(1)
	if right {
		l.fill(st, glyph, end-1).put(st, safe.Text(heads[1]))
	}
	l.fill(st, glyph, end)
}

// tone is the hue of a beat that went wrong, else another.
func (s *scribe) tone(b beat, row *session.Row, other style) style {
	switch {
	case b.kind == beatPings:
		return s.sc.th.dim
	case b.kind == beatAsk:
		return other
	case row.Verdict == session.VerdictError:
		return s.sc.th.err
	case row.Verdict == session.VerdictWarning:
		return s.sc.th.warn
	}
	return other
}

// label is what an arrow says: words that may be cut, and what must be seen.
func (s *scribe) label(b beat, row *session.Row) (t, tail safe.Text) {
	w := s.rec.words[b.row]
	result := safe.Line(w.result)
	t = safe.Line(shortMethod(row, s.rec.t.Name(row.Name)))
	switch {
	case b.kind == beatAnswer:
		t, tail = s.answer(row, result)
	case b.kind == beatPings:
	case row.Kind == session.RowHTTP: // those words begin with the method
		t = safe.Line(w.target)
	default:
		t = joined(t, safe.Line(w.target))
	}
	switch {
	case b.kind == beatNote || b.kind == beatNotify && row.Kind != session.RowNotification:
		t = joined(t, result)
	case b.kind == beatAsk && row.Kind == session.RowCall && row.ID != 0:
		tail = "  id " + cutText(safe.Line(s.rec.t.Name(row.ID)), 12, &s.m.sg)
	}
	if b.many > 1 {
		tail += "  " + safe.Text(s.m.sg.times) + number(int(b.many))
	}
	if s.many && row.Session >= 0 {
		t = "s" + safe.Text(itoa(int(row.Session)+1)) + " " + t
	}
	return t, tail
}

func (s *scribe) answer(row *session.Row, result safe.Text) (t, tail safe.Text) {
	took := "  " + duration(row.Latency())
	switch {
	case row.Verdict == session.VerdictError:
		return joined("error", result), took
	case row.Kind != session.RowHTTP:
		return joined("result", result), took
	case result == "" && row.Status > 0:
		return safe.Text(itoa(int(row.Status))), ""
	}
	return result, ""
}

func joined(a, b safe.Text) safe.Text {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// carrier says what carried a message over HTTP.
func (s *scribe) carrier(b beat, row *session.Row) safe.Text {
	f := s.rec.frame(uint64(b.n))
	if f == nil || f.X == 0 {
		return ""
	}
	x := "x" + safe.Text(itoa(int(f.X)))
	get := false
	if h := s.rec.heads[f.X]; h.req != 0 {
		if i := s.rec.rowAt(h.req); i >= 0 {
			get = isStream(s.rec, s.rec.t.Row(i)) && s.rec.t.Row(i).Kind == session.RowHTTP
		}
	}
	switch {
	case f.Kind == wire.KindEvent && get:
		return "GET stream " + x
	case f.Kind == wire.KindEvent:
		return "SSE on POST " + x
	case b.kind != beatAsk && f.Dir == wire.ToClient && row.Status > 0:
		return safe.Text(itoa(int(row.Status))) + " " + x
	case row.Kind == session.RowHTTP:
		return safe.Line(s.rec.t.Name(row.Name)) + " " + x + " on c" + safe.Text(itoa(int(row.Conn)))
	}
	if f.Dir == wire.ToClient {
		return "answer to " + x
	}
	return "POST " + x + " on c" + safe.Text(itoa(int(row.Conn)))
}

// finding is what shows at a beat, nil when nothing does.
func (s *scribe) finding(b beat) *diagnose.Finding {
	x := &s.rec.finds
	for _, n := range s.frames(b) {
		if x.showsAt[n] == 0 {
			continue
		}
		for _, f := range x.byFrame[n] {
			if f.Severity == x.showsAt[n] && !x.muted[f.Rule.ID] {
				return f
			}
		}
	}
	return nil
}

// frames are the frames of a beat: its message, and the head of that.
func (s *scribe) frames(b beat) []uint64 {
	out := []uint64{uint64(b.n)}
	if f := s.rec.frame(uint64(b.n)); f != nil && f.X != 0 {
		if h := s.rec.heads[f.X]; b.kind == beatAnswer {
			out = append(out, h.resp)
		} else if f.Dir == wire.ToServer {
			out = append(out, h.req)
		}
	}
	return out
}

// note says at the right what was found, or what became of a call without an
// answer.
func (s *scribe) note(l *line, b beat, row *session.Row, found *diagnose.Finding) {
	th, sg := s.sc.th, &s.m.sg
	if l.gap(s.at.notes - l.w); l.w < s.at.notes {
		return
	}
	ask := b.kind == beatAsk && row.Kind == session.RowCall
	switch {
	case found != nil:
		sign, st := s.sc.severity(found.Severity)
		l.put(st, safe.Text(sign)).gap(1).put(st, safe.Line(found.Rule.Title))
	case ask && row.Verdict == session.VerdictLost:
		l.put(th.err, safe.Text(sg.lost+" lost"))
	case ask && row.Verdict == session.VerdictCancelled:
		l.put(th.dim, safe.Text(sg.cancel+" cancelled"))
	case ask && unfinished(row) && s.rec.Live:
		l.put(th.pend, safe.Text(sg.pend+" waits"))
	case ask && unfinished(row):
		l.put(th.pend, safe.Text(sg.pend+" never answered"))
	}
}

// titleState says how much there is and what is folded.
func (v *sequence) titleState(m *Model) []seg {
	l, dot := &m.list, safe.Text(" "+m.sg.dot+" ")
	s := &v.score
	out := []seg{{m.th.dim, count(len(s.beats), "line")}}
	if n := l.rec; n != nil && l.current() == nil && len(n.t.Sessions()) > 1 {
		out = append(out, seg{m.th.dim, dot + count(len(n.t.Sessions()), "session") + " in one"})
	}
	if l.query != nil {
		out = append(out, seg{m.th.dim, dot + "filtered"})
	}
	if s.pings > 0 {
		out = append(out, seg{m.th.dim, dot + number(s.pings) + " pings folded"})
	}
	if s.progress > 0 && m.w >= 100 {
		out = append(out, seg{m.th.dim, dot + number(s.progress) + " progress folded"})
	}
	if s.more && l.rec != nil {
		out = append(out, seg{m.th.pend, dot + "reading " + safe.Text(itoa(s.next*100/max(len(l.rec.frames), 1))) + "%"})
	}
	return out
}

func (v *sequence) state(m *Model) []seg {
	switch r := m.list.rec; {
	case r == nil:
		return nil
	case m.frozen:
		return []seg{{m.th.warn + bold, safe.Text(m.sg.paused + " frozen, p goes on")}}
	case r.Live && m.list.follow:
		return []seg{{m.th.ok, safe.Text(m.sg.live)}, {plain, " live"}}
	case r.Live:
		return []seg{{m.th.warn, safe.Text(m.sg.paused + " paused")}, {m.th.dim, "  G follows"}}
	}
	return []seg{{m.th.dim, safe.Text(m.sg.ended + " ended")}}
}

// told says all of the selected line, which may be cut off above.
func (v *sequence) told(m *Model) safe.Text {
	b := v.beat(v.lines.sel)
	if b.row < 0 || m.list.rec == nil || v.count() == 0 {
		return ""
	}
	s := scribe{m: m, sc: m.scene(), rec: m.list.rec}
	if b.kind == beatGap {
		return s.gapText(b)
	}
	row := s.rec.t.Row(int(b.row))
	dot := safe.Text(" " + m.sg.dot + " ")
	t := s.time(b, row)
	n := b.n
	if n == 0 {
		n = row.Request
	}
	out := "#" + safe.Text(itoa(int(n))) + dot + seconds(max(0, t-s.sc.base)) + "s"
	if m.w >= 100 {
		out += " (" + safe.Text(s.rec.Started.Add(time.Duration(t)).Local().Format("15:04:05.000")) + ")"
	}
	label, tail := s.label(b, row)
	out += dot + label + tail
	if f := s.finding(b); f != nil {
		sign, _ := s.sc.severity(f.Severity)
		out += "  " + safe.Text(sign) + " " + safe.Line(f.Rule.Title)
	}
	return out
}
