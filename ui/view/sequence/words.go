package sequence

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/export"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// tone is the hue of an event that went wrong, else another.
func (s *renderer) tone(e event, row *session.Row, other term.Style) term.Style {
	switch {
	case e.kind == eventPings:
		return s.sc.Theme.Dim
	case e.kind == timeline.Request:
		return other
	case row.Verdict == session.VerdictError:
		return s.sc.Theme.Err
	case row.Verdict == session.VerdictWarning:
		return s.sc.Theme.Warn
	}
	return other
}

// label is what an arrow says: words that may be cut, and what must be seen.
func (s *renderer) label(e event, row *session.Row) (t, tail safe.Text) {
	w := s.rec.Texts.Of(int(e.row))
	result := safe.Line(w.Result)
	t = safe.Line(library.ShortMethod(row, s.rec.Tracker.Name(row.Name)))
	switch {
	case e.kind == timeline.Response:
		t, tail = s.answer(row, result)
	case e.kind == eventPings:
	case row.Kind == session.RowHTTP: // those words begin with the method
		t = safe.Line(w.Target)
	default:
		t = joined(t, safe.Line(w.Target))
	}
	switch {
	case e.kind == timeline.Note || e.kind == timeline.Notification && row.Kind != session.RowNotification:
		t = joined(t, result)
	case e.kind == timeline.Request && row.Kind == session.RowCall && row.ID != 0:
		tail = "  id " + term.Shorten(safe.Line(s.rec.Tracker.Name(row.ID)), 12, s.sc.Glyphs)
	}
	if e.many > 1 {
		tail += "  " + s.sc.Glyphs.Times + term.Number(int(e.many))
	}
	if s.many && row.Session >= 0 {
		t = "s" + safe.Int(int(row.Session)+1) + " " + t
	}
	return t, tail
}

func (s *renderer) answer(row *session.Row, result safe.Text) (t, tail safe.Text) {
	took := "  " + term.Duration(row.Latency())
	switch {
	case row.Verdict == session.VerdictError:
		return joined("error", result), took
	case row.Kind != session.RowHTTP:
		return joined("result", result), took
	case result == "" && row.Status > 0:
		return safe.Int(int(row.Status)), ""
	}
	return result, ""
}

func joined(a, b safe.Text) safe.Text {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// transport says what carried a message over HTTP.
func (s *renderer) transport(e event, row *session.Row) safe.Text {
	f := s.rec.Frame(uint64(e.n))
	if f == nil || f.X == 0 {
		return ""
	}
	x := "x" + safe.Int(int(f.X))
	get := false
	if h := s.rec.Heads[f.X]; h.Req != 0 {
		if i := s.rec.RowAt(h.Req); i >= 0 {
			get = s.rec.IsStream(s.rec.Tracker.Row(i)) && s.rec.Tracker.Row(i).Kind == session.RowHTTP
		}
	}
	switch {
	case f.Kind == wire.KindEvent && get:
		return "GET stream " + x
	case f.Kind == wire.KindEvent:
		return "SSE on POST " + x
	case e.kind != timeline.Request && f.Dir == wire.ToClient && row.Status > 0:
		return safe.Int(int(row.Status)) + " " + x
	case row.Kind == session.RowHTTP:
		return safe.Line(s.rec.Tracker.Name(row.Name)) + " " + x + " on c" + safe.Int(int(row.Conn))
	}
	if f.Dir == wire.ToClient {
		return "response to " + x
	}
	return "POST " + x + " on c" + safe.Int(int(row.Conn))
}

// finding is what shows at an event, nil when nothing does.
func (s *renderer) finding(e event) *diagnose.Finding {
	x := &s.rec.Findings
	for _, n := range s.frames(e) {
		if x.ShowsAtFrame[n] == 0 {
			continue
		}
		for _, f := range x.ByFrame[n] {
			if f.Severity == x.ShowsAtFrame[n] && !x.Muted[f.Rule.ID] {
				return f
			}
		}
	}
	return nil
}

// frames are the frames of an event: its message, and the head of that.
func (s *renderer) frames(e event) []uint64 {
	out := []uint64{uint64(e.n)}
	if f := s.rec.Frame(uint64(e.n)); f != nil && f.X != 0 {
		if h := s.rec.Heads[f.X]; e.kind == timeline.Response {
			out = append(out, h.Resp)
		} else if f.Dir == wire.ToServer {
			out = append(out, h.Req)
		}
	}
	return out
}

// note says at the right what was found, or what became of a call without an
// answer.
func (s *renderer) note(l *term.Line, e event, row *session.Row, found *diagnose.Finding) {
	th, sg := s.sc.Theme, s.sc.Glyphs
	if l.Gap(s.at.notes - l.Used); l.Used < s.at.notes {
		return
	}
	ask := e.kind == timeline.Request && row.Kind == session.RowCall
	switch {
	case found != nil:
		sign, st := s.sc.Severity(found.Severity)
		l.Put(st, sign).Gap(1).Put(st, safe.Line(found.Rule.Title))
	case ask && row.Verdict == session.VerdictLost:
		l.Put(th.Err, sg.Lost+" lost")
	case ask && row.Verdict == session.VerdictCancelled:
		l.Put(th.Dim, sg.Cancel+" cancelled")
	case ask && library.Unfinished(row) && s.rec.Live:
		l.Put(th.Pend, sg.Pend+" waits")
	case ask && library.Unfinished(row):
		l.Put(th.Pend, sg.Pend+" no response")
	}
}

// titleState says how much there is and what is folded.
func (v *View) titleState(h view.Host) []term.Seg {
	l, sc := h.Rows(), h.Scene()
	dot := " " + sc.Glyphs.Dot + " "
	s := &v.log
	out := []term.Seg{term.S(sc.Theme.Dim, term.Count(len(s.events), "line"))}
	if n := sc.Rec; n != nil && h.Scope().Current() == nil && len(n.Tracker.Sessions()) > 1 {
		out = append(out, term.S(sc.Theme.Dim, dot+term.Count(len(n.Tracker.Sessions()), "session")+" in one"))
	}
	if l.Filtered() {
		out = append(out, term.S(sc.Theme.Dim, dot+"filtered"))
	}
	if s.pings > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot+term.Number(s.pings)+" pings folded"))
	}
	if s.progress > 0 && sc.Width >= 100 {
		out = append(out, term.S(sc.Theme.Dim, dot+term.Number(s.progress)+" progress folded"))
	}
	if s.more && sc.Rec != nil {
		out = append(out, term.S(sc.Theme.Pend, dot+"reading "+safe.Int(s.next*100/max(len(sc.Rec.Frames), 1))+"%"))
	}
	return out
}

// State implements view.View.
func (v *View) State(h view.Host) []term.Seg {
	sc := h.Scene()
	switch r := sc.Rec; {
	case r == nil:
		return nil
	case sc.Frozen:
		return []term.Seg{term.S(sc.Theme.Warn+term.Bold, sc.Glyphs.Paused+" frozen, p goes on")}
	case r.Live && h.Rows().Following():
		return []term.Seg{term.S(sc.Theme.Ok, sc.Glyphs.Live), term.S(term.Plain, " live")}
	case r.Live:
		return []term.Seg{term.S(sc.Theme.Warn, sc.Glyphs.Paused+" paused"), term.S(sc.Theme.Dim, "  G follows")}
	}
	return []term.Seg{term.S(sc.Theme.Dim, sc.Glyphs.Ended+" ended")}
}

// told says all of the selected line, which may be cut off above.
func (v *View) Told(h view.Host) safe.Text {
	e := v.event(v.lines.Sel)
	if e.row < 0 || h.Scope().Rec == nil || v.count() == 0 {
		return ""
	}
	sc := h.Scene()
	s := renderer{sc: sc, rec: sc.Rec}
	if e.kind == eventGap {
		return s.gapText(e)
	}
	row := s.rec.Tracker.Row(int(e.row))
	dot := " " + sc.Glyphs.Dot + " "
	t := s.time(e, row)
	n := e.n
	if n == 0 {
		n = row.Request
	}
	out := "#" + safe.Int(int(n)) + dot + term.Seconds(max(0, t-s.sc.Base)) + "s"
	if sc.Width >= 100 {
		out += " (" + safe.Time(s.rec.Started.Add(time.Duration(t)).Local(), "15:04:05.000") + ")"
	}
	label, tail := s.label(e, row)
	out += dot + label + tail
	if f := s.finding(e); f != nil {
		sign, _ := s.sc.Severity(f.Severity)
		out += "  " + sign + " " + safe.Line(f.Rule.Title)
	}
	return out
}

// copy puts the diagram on the clipboard as Mermaid: all of it, or as much
// around the selection as code hosts draw.
func (v *View) copy(h view.Host) tea.Cmd {
	i, all := h.Rows().Index(), h.Rows().IDs()
	if i < 0 {
		return h.Complain("there is no message to copy")
	}
	from := max(0, min(i-export.DiagramRows/4, len(all)-export.DiagramRows))
	ids := all[from:min(from+export.DiagramRows, len(all))]
	r := v.Rec
	d := export.Diagram{
		Recording: export.Recording{
			ID: r.ID, Label: string(r.Name()), Tap: r.Tap, Started: r.Started, Live: r.Live, Trouble: r.Trouble,
		},
		Tracker: r.Tracker, Before: from, After: len(all) - from - len(ids),
		Words: func(row int) (target, result string) { w := r.Texts.Of(row); return w.Target, w.Result },
	}
	for _, id := range ids {
		d.Rows = append(d.Rows, int(id))
	}
	d.Findings = slices.DeleteFunc(slices.Clone(r.Findings.Loud(r.Findings.All)), func(f *diagnose.Finding) bool {
		if len(f.Frames) == 0 {
			return true
		}
		_, in := slices.BinarySearch(ids, uint32(max(0, r.RowAt(f.Frames[0]))))
		return !in
	})
	what := "Mermaid of all rows"
	if n := d.Before + d.After; n > 0 {
		what = "Mermaid of " + strconv.Itoa(len(ids)) + " rows, " + strconv.Itoa(n) + " left out"
	}
	return h.Copy(d.Mermaid(), what)
}
