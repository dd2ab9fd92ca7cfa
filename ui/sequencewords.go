package ui

import (
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/session/wire"
)

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
	w := s.rec.words.of(int(b.row))
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
