package detail

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// DrawLifecycle writes the life cycle of a session on one line.
func DrawLifecycle(l *term.Line, sc *library.Scene, steps []session.LifeStep) {
	s := layStrip(sc, steps, l.Max-2)
	if l.Gap(1); s.first > 0 {
		l.Put(sc.Theme.Dim, sc.Glyphs.Ellipsis)
	}
	for i := s.first; i < len(steps); i++ {
		link, step := s.segs(i)
		l.Segs(link).Segs(step)
	}
}

// StepAt is the step that stands at a column of a strip of w cells, -1 for none.
func StepAt(sc *library.Scene, steps []session.LifeStep, w, x int) int {
	s := layStrip(sc, steps, w-2)
	at := 1
	if s.first > 0 {
		at += term.Width(sc.Glyphs.Ellipsis)
	}
	for i := s.first; i < len(steps); i++ {
		link, step := s.segs(i)
		at += term.SegsWidth(link)
		if x >= at && x < at+term.SegsWidth(step) {
			return i
		}
		at += term.SegsWidth(step)
	}
	return -1
}

// What is shown of the life cycle: the last of it gives way first.
const (
	showNames    uint8 = iota
	showBadNotes       // what is noted of a bad step
	showAhead          // steps that are still to come
	showTimes          // how long steps took, and what is noted of them
	showAll            // the lines between them, and what became of a step
)

// strip is what of the life cycle is drawn: from a step on, as far as it matters.
type strip struct {
	sc    *library.Scene
	steps []session.LifeStep
	first int
	most  uint8
}

// layStrip chooses the most detail that fits into room cells. Where nothing does,
// the beginning is left out, and the end is cut off.
func layStrip(sc *library.Scene, steps []session.LifeStep, room int) strip {
	s := strip{sc: sc, steps: steps, most: showAll}
	for s.most > showNames && s.width() > room {
		s.most--
	}
	for turn := turning(steps); s.first < turn && s.width() > room; {
		s.first++
	}
	return s
}

func (s *strip) width() (w int) {
	for i := s.first; i < len(s.steps); i++ {
		link, step := s.segs(i)
		w += term.SegsWidth(link) + term.SegsWidth(step)
	}
	return w
}

// segs are a step, and what leads to it.
func (s *strip) segs(i int) (link, out []term.Seg) {
	th, sg, step := s.sc.Theme, s.sc.Glyphs, &s.steps[i]
	bad, coming := step.Mark == session.StepBad, step.Mark == session.StepAhead
	if coming && s.most < showAhead {
		return nil, nil
	}
	line, head := sg.Link, sg.LinkEnd
	if s.most < showAll {
		line = ""
	} else if coming {
		head = ""
	}
	if i > 0 {
		link = []term.Seg{term.S(th.Frame, " "+line+head+" ")}
	}
	sign, st := stepSign(s.sc, step.Mark)
	note, name := s.note(step), stepStyle(s.sc, step.Mark)
	out = []term.Seg{term.S(st, sign+" "), term.S(name, safe.Line(step.Name))}
	switch {
	case note == "":
	case bad:
		out = append(out, term.S(name, ": "+note))
	default:
		out = append(out, term.S(th.Dim, " "+note))
	}
	return link, out
}

// note is what is said of a step: how long it took, or what is wrong with it.
func (s *strip) note(step *session.LifeStep) safe.Text {
	note := safe.Line(step.Note)
	switch {
	case step.Mark == session.StepBad && s.most < showBadNotes, step.Mark != session.StepBad && s.most < showTimes:
		return ""
	case step.Mark == session.StepBad && s.most < showTimes:
		return term.Shorten(note, 18, s.sc.Glyphs)
	case step.Mark == session.StepBad || step.Took == 0:
		return note
	case s.most < showAll || !strings.Contains(step.Note, session.Became):
		return term.Duration(step.Took)
	}
	return term.Duration(step.Took) + " " + note
}

// turning is the step that must be seen: the bad one, else where it stands, or
// how far it came.
func turning(steps []session.LifeStep) int {
	at := 0
	for i := range steps {
		switch steps[i].Mark {
		case session.StepBad, session.StepNow:
			return i
		case session.StepDone:
			at = i
		}
	}
	return at
}

func stepSign(sc *library.Scene, m session.StepMark) (safe.Text, term.Style) {
	switch m {
	case session.StepDone:
		return sc.Glyphs.Ok, sc.Theme.Ok
	case session.StepBad:
		return sc.Glyphs.Err, sc.Theme.Err
	case session.StepNow:
		return sc.Glyphs.Now, sc.Theme.Ok
	case session.StepSkipped:
		return "-", sc.Theme.Dim
	}
	return sc.Glyphs.Ahead, sc.Theme.Dim
}

func stepStyle(sc *library.Scene, m session.StepMark) term.Style {
	switch m {
	case session.StepBad:
		return sc.Theme.Err + term.Bold
	case session.StepAhead, session.StepSkipped:
		return sc.Theme.Dim
	}
	return term.Plain
}

// Judged is the life cycle of a session that was read.
func Judged(r *library.Recording, s *session.Session) []session.LifeStep {
	v := r.VerdictOf(s.Index)
	return LifeCycle(&v, s.Steps, r.Live)
}

// LifeCycle is the life cycle of a session as its verdict has it. Where calls failed, and that harmed
// it, the step in which it worked is not a good one.
func LifeCycle(v *diagnose.Verdict, steps []session.LifeStep, live bool) []session.LifeStep {
	steps = v.LifeCycle(steps, live)
	if v.Rule != "" || v.Outcome != diagnose.Failed && v.Outcome != diagnose.Impaired {
		return steps
	}
	for i := range steps {
		step := &steps[i]
		unsaid := step.Mark == session.StepBad && step.Note == ""
		if step.Name != session.StepOperating || step.Mark != session.StepDone && !unsaid {
			continue
		}
		if step.Note = v.Short; !unsaid {
			step.Mark = session.StepSkipped
		}
	}
	return steps
}

// WriteRecording says what is known of a recording before it is read.
func WriteRecording(d *document.Doc, sc *library.Scene, r *library.Recording) {
	th := sc.Theme
	if r.Trouble != "" {
		d.Field(th, "trouble", term.S(th.Warn, sc.Glyphs.Warn+" "+r.TroubleText()))
	}
	switch {
	case r.Where == "":
	case r.Tap == "http":
		from, to, found := strings.Cut(r.Where, " → ")
		if found {
			d.Field(th, "listens", term.S(term.Plain, safe.Line(from)))
			d.Field(th, "forwards", term.S(th.Dim, "to "), term.S(term.Plain, safe.Line(to)))
		} else {
			d.Field(th, "http", term.S(term.Plain, safe.Line(r.Where)))
		}
	default:
		d.Field(th, "command", term.S(term.Plain, safe.Line(r.Where)))
		d.Field(th, "transport", term.S(term.Plain, "stdio"), term.S(th.Dim, "   the pipes of a server process"))
	}
	if !r.Started.IsZero() {
		d.Field(th, "started", term.S(term.Plain, safe.Time(r.Started.Local(), "2006-01-02 15:04:05")),
			term.S(th.Dim, "   "+Ago(sc.Now.Sub(r.Started))))
	}
	d.Field(th, "size", term.S(term.Plain, term.Bytes(r.Size)))
	state := term.S(th.Dim, "ended")
	if r.Live {
		state = term.S(th.Ok, "live: it is being recorded")
	}
	if r.Opened && r.Loaded() {
		state.Text += ", " + term.Count(len(r.Tracker.Sessions()), "session")
	}
	d.Field(th, "state", state)
}

// Ago says how long ago something was.
func Ago(d time.Duration) safe.Text {
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return term.Count(int(d.Minutes()), "minute") + " ago"
	case d < 48*time.Hour:
		return term.Count(int(d.Hours()), "hour") + " ago"
	}
	return term.Count(int(d.Hours()/24), "day") + " ago"
}
