package sequence

import (
	"cmp"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/mcp"
	"midwire/session/safe"
	"midwire/session/timeline"
	"midwire/session/wire"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// label is what an arrow says, and what stands at the end of the server.
func (s *renderer) label(e event, row *session.Row) (segs []term.Seg, tail safe.Text) {
	result := safe.Line(s.rec.Texts.Of(int(e.row)).Result)
	switch {
	case e.kind == timeline.Response:
		segs, tail = s.answer(row, result)
	default:
		segs = s.request(e.row)
	}
	if e.kind == timeline.Notification && row.Kind != session.RowNotification && result != "" {
		segs = append(segs, term.S(term.Plain, " "+result))
	}
	if s.at.many && s.at.of(int(row.Session)) == nil { // it has no lane
		segs = append([]term.Seg{term.S(s.hue(row), s.rec.SessionName(int(row.Session))+" ")}, segs...)
	}
	if e.many > 1 {
		tail = s.sc.Glyphs.Times + term.Number(int(e.many))
	}
	if s.at.many && e.kind == timeline.Request {
		tail = s.outcome(row)
	}
	return segs, tail
}

// request is the tool and its arguments, else the method and what it is about.
func (s *renderer) request(i int32) []term.Seg {
	th, row := s.sc.Theme, s.rec.Tracker.Row(int(i))
	name := s.rec.Tracker.Name(row.Name)
	target := safe.Line(s.rec.Texts.Of(int(i)).Target)
	st, rest := term.Bold, th.Dim
	switch {
	case row.Kind == session.RowHTTP: // those words begin with the method
		return []term.Seg{term.S(th.Dim, target)}
	case row.Kind == session.RowCall && name == mcp.ToolsCall && target != "":
		tool, args, _ := strings.Cut(string(target), " ")
		name, target, rest = tool, safe.Line(args), th.JSONString
	case row.Kind == session.RowCall && name == mcp.Initialize && s.at.many:
		target = "" // the lane says it
	case row.Kind != session.RowCall:
		st = term.Plain
	}
	if row.Ending.Bad() {
		st = th.Err
	}
	method := safe.Line(library.ShortMethod(row, name))
	if target == "" {
		return []term.Seg{term.S(st, method)}
	}
	return []term.Seg{term.S(st, method), term.S(rest, " "+target)}
}

func (s *renderer) answer(row *session.Row, result safe.Text) (segs []term.Seg, tail safe.Text) {
	took := term.Duration(row.Latency())
	if n := len(result); n > 1 && result[0] == '"' && result[n-1] == '"' {
		result = result[1 : n-1]
	}
	switch {
	case row.Ending.IsError():
		return []term.Seg{term.S(s.sc.Theme.Err, cmp.Or(result, "error"))}, took
	case row.Kind != session.RowHTTP:
		return []term.Seg{term.S(term.Plain, cmp.Or(result, "result"))}, took
	case result == "" && row.Status > 0:
		return []term.Seg{term.S(term.Plain, safe.Int(int(row.Status)))}, ""
	}
	return []term.Seg{term.S(term.Plain, result)}, ""
}

func (s *renderer) words(i int32) (t safe.Text) {
	for _, seg := range s.request(i) {
		t += seg.Text
	}
	return t
}

// outcome says what became of a call without a response.
func (s *renderer) outcome(row *session.Row) safe.Text {
	sg := s.sc.Glyphs
	switch {
	case row.Kind != session.RowCall:
		return ""
	case row.Ending.Lost():
		return sg.Lost + " lost"
	case row.Ending.GaveUp():
		return sg.Cancel + " cancelled"
	case library.Unfinished(row) && s.rec.Live:
		return sg.Pend + " pending"
	case library.Unfinished(row):
		return sg.Pend + " no response"
	}
	return ""
}

func joined(a, b safe.Text) safe.Text {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// finding is what shows at an event, and of a mere failure its cause; nil when nothing
// does.
func (s *renderer) finding(e event) *diagnose.Finding {
	x := &s.rec.Findings
	for _, n := range s.frames(e) {
		if x.ShowsAtFrame[n] == 0 {
			continue
		}
		for _, f := range x.ByFrame[n] {
			if f.Severity != x.ShowsAtFrame[n] {
				continue
			}
			if cause := x.Causes[f]; cause != nil && f.Rule.Fallback > 0 {
				return cause
			}
			return f
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
	th := s.sc.Theme
	if l.Gap(s.at.notes - l.Used); l.Used < s.at.notes {
		return
	}
	if found != nil {
		sign, st := s.sc.Severity(found.Severity)
		l.Put(st, sign).Gap(1).Put(st, safe.Line(found.Rule.Title))
		return
	}
	if t := s.outcome(row); e.kind == timeline.Request && t != "" {
		st := th.Pend
		switch {
		case row.Ending.Lost():
			st = th.Err
		case row.Ending.GaveUp():
			st = th.Dim
		}
		l.Put(st, t)
	}
}

func (v *View) titleState(h view.Host) []term.Seg {
	l, sc := h.Rows(), h.Scene()
	dot := " " + sc.Glyphs.Dot + " "
	s := &v.log
	out := []term.Seg{term.S(sc.Theme.Dim, term.Count(len(s.events), "line"))}
	if l.Query != nil {
		out = append(out, term.S(sc.Theme.Dim, dot+"filtered"))
	}
	if n := s.folded + s.pings; n > 0 {
		out = append(out, term.S(sc.Theme.Dim, dot+term.Count(n, "ping")+" folded"))
	}
	if s.progress > 0 {
		out = append(out, term.Spare(1, term.S(sc.Theme.Dim, dot+term.Number(s.progress)+" progress folded"))...)
	}
	if s.more && sc.Rec != nil {
		out = append(out, term.S(sc.Theme.Pend, dot+"reading "+safe.Int(s.next*100/max(len(sc.Rec.Frames), 1))+"%"))
	}
	return out
}

// State implements view.View.
func (v *View) State(h view.Host) []term.Seg {
	sc := h.Scene()
	if sc.Rec == nil {
		return nil
	}
	return sc.Pace(sc.Rec, h.Rows().Follow)
}

// told says all of the selected line, which may be cut off above.
func (v *View) Told(h view.Host) safe.Text {
	e := v.event(v.lines.Sel)
	if e.row < 0 || h.Scope().Rec == nil || v.count() == 0 {
		return ""
	}
	sc := h.Scene()
	s := renderer{sc: sc, rec: sc.Rec, log: &v.log}
	if e.kind == eventGap {
		return s.gapText(e)
	}
	row := s.rec.Tracker.Row(int(e.row))
	dot := " " + sc.Glyphs.Dot + " "
	t := s.time(e, row)
	n := cmp.Or(e.n, row.Request)
	out := "#" + safe.Int(int(n)) + dot + term.Seconds(max(0, t-s.sc.Base)) + "s"
	if term.Wide(sc.Width) {
		out += " (" + safe.Time(s.rec.Started.Add(time.Duration(t)).Local(), "15:04:05.000") + ")"
	}
	segs, tail := s.label(e, row)
	out += dot
	if len(sc.Rec.Tracker.Sessions()) > 1 && row.Session >= 0 {
		out += sc.Rec.SessionName(int(row.Session)) + dot
	}
	for _, seg := range segs {
		out += seg.Text
	}
	if e.kind == timeline.Request && row.Kind == session.RowCall && row.ID != 0 {
		tail = "id " + term.Shorten(safe.Line(s.rec.Tracker.Name(row.ID)), 12, s.sc.Glyphs)
	}
	if tail != "" {
		out += "  " + tail
	}
	if f := s.finding(e); f != nil {
		sign, _ := s.sc.Severity(f.Severity)
		out += "  " + sign + " " + safe.Line(f.Rule.Title)
	}
	return out
}
