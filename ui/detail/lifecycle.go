package detail

import (
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// DrawLifecycle writes the life cycle of a session on one line, and returns where
// the bad step stands and which it is; -1 when every step is fine.
func DrawLifecycle(l *term.Line, sc *library.Scene, steps []session.LifeStep) (bad, at int) {
	bad = -1
	level := 0
	for level < stripLevels-1 && stripWidth(sc.Glyphs, steps, level) > l.Max-2 {
		level++
	}
	return putSteps(l, sc, steps, level)
}

// Levels of detail: 0 everything; 1 short links; 2 no times, no notes but the
// beginning of a bad one; 3 nothing that is still ahead; 4 no notes at all.
const stripLevels = 5

func putSteps(l *term.Line, sc *library.Scene, steps []session.LifeStep, level int) (bad, at int) {
	bad = -1
	l.Gap(1)
	from, room := 0, l.Max-2
	for from < turning(steps) && stripWidth(sc.Glyphs, steps[from:], level) > room {
		from, room = from+1, l.Max-7
	}
	if from > 0 {
		l.Put(sc.Theme.Dim, sc.Glyphs.Ellipsis)
	}
	for i := from; i < len(steps); i++ {
		step := &steps[i]
		if level >= 3 && step.Mark == session.StepAhead {
			continue
		}
		if i > 0 {
			l.Put(sc.Theme.Frame, stripLink(sc.Glyphs, step, level))
		}
		if step.Mark == session.StepBad && bad < 0 {
			bad, at = i, l.Used
		}
		sign, st := stepSign(sc, step.Mark)
		extra := stepExtra(sc.Glyphs, step, level)
		if extra == "" && step.Mark == session.StepBad {
			l.Put(sc.Theme.Bad, safe.Line(step.Name))
		} else {
			l.Put(stepStyle(sc, step.Mark), safe.Line(step.Name))
		}
		l.Gap(1).Put(st, sign)
		if extra != "" {
			if step.Mark == session.StepBad {
				l.Gap(1).Put(sc.Theme.Bad, " "+extra+" ")
			} else {
				l.Gap(1).Put(sc.Theme.Dim, extra)
			}
		}
	}
	return bad, at
}

// turning is the step that must be seen: the bad one, else where it stands.
func turning(steps []session.LifeStep) int {
	at := 0
	for i := range steps {
		switch steps[i].Mark {
		case session.StepBad:
			return i
		case session.StepNow:
			at = i
		}
	}
	return at
}

func stripLink(sg *term.Glyphs, step *session.LifeStep, level int) safe.Text {
	link := " " + sg.Link + " "
	if step.Mark != session.StepAhead {
		link = " " + sg.Link + sg.LinkEnd + " "
	}
	if level > 0 {
		link = " " + sg.LinkEnd + " "
	}
	return link
}

func stepExtra(sg *term.Glyphs, step *session.LifeStep, level int) safe.Text {
	switch {
	case level >= 4:
		return ""
	case step.Mark == session.StepBad && level >= 2:
		return term.Shorten(safe.Line(step.Note), 18, sg)
	case step.Mark == session.StepBad:
		return safe.Line(step.Note)
	case level >= 2:
		return ""
	}
	if step.Took > 0 {
		return term.Duration(step.Took)
	}
	return safe.Line(step.Note)
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
		return sc.Theme.Err
	case session.StepAhead, session.StepSkipped:
		return sc.Theme.Dim
	}
	return term.Plain
}

func stripWidth(sg *term.Glyphs, steps []session.LifeStep, level int) int {
	w := 0
	for i := range steps {
		if level >= 3 && steps[i].Mark == session.StepAhead {
			continue
		}
		if i > 0 {
			w += term.Width(stripLink(sg, &steps[i], level))
		}
		w += term.Width(safe.Line(steps[i].Name)) + 2
		if e := stepExtra(sg, &steps[i], level); e != "" {
			w += term.Width(e) + 1
			if steps[i].Mark == session.StepBad {
				w += 2
			}
		}
	}
	return w
}

// Pointed is what the line under the strip points at.
type Pointed struct {
	Steps   []session.LifeStep
	Bad, At int               // the bad step and where it stands; -1 for none
	F       *diagnose.Finding // what is wrong, nil when no finding says
}

// DrawLifecycleNote writes the line under the strip: what is wrong with the bad
// step, pointing at it, or else who talks to whom and why these messages are
// one session.
func DrawLifecycleNote(l *term.Line, sc *library.Scene, s *session.Session, p Pointed) {
	switch {
	case p.F != nil:
		p.drawFinding(l, sc)
	case p.Bad >= 0:
		text := stepText(&p.Steps[p.Bad])
		l.Gap(max(1, min(p.At, l.Max-term.Width(text)-3)))
		l.Put(sc.Theme.Err, sc.Glyphs.Here).Gap(1).Put(term.Plain, text)
	default:
		l.Gap(1)
		if s.Client.Name != "" {
			l.Put(sc.Theme.Dim, library.PeerText(s.Client)).Put(sc.Theme.Dim, " "+sc.Glyphs.Arrow+" ")
		}
		if s.Server.Name != "" {
			l.Put(sc.Theme.Dim, library.PeerText(s.Server)).Put(sc.Theme.Dim, "   ")
		}
		l.Put(sc.Theme.Dim, "one session by ").Put(sc.Theme.Dim, safe.Line(s.Why))
	}
}

// drawFinding points at the bad step and names what was found there, at that
// side of it where there is room.
func (p *Pointed) drawFinding(l *term.Line, sc *library.Scene) {
	text := findingText(p.F)
	here, explains := sc.Glyphs.Here, safe.Text(" explains")
	tail := term.Width(explains) + 4 // with the key and its blanks
	if p.Bad < 0 {
		here, p.At = sc.Glyphs.Err, 1
	}
	right, left := l.Max-p.At-2-tail, p.At-2
	if right >= min(term.Width(text), 24) || right >= left {
		l.Gap(max(1, p.At)).Put(sc.Theme.Err, here).Gap(1).PutMax(term.Plain, text, right)
	} else {
		l.Gap(max(1, left+1-term.Width(text))).PutMax(term.Plain, text, left).Gap(1).Put(sc.Theme.Err, here)
	}
	l.Gap(2).Put(sc.Theme.Key, "!").Put(sc.Theme.Dim, explains)
}

func stepText(step *session.LifeStep) safe.Text {
	text := safe.Line(step.Name + ": " + step.Note)
	if step.Note == "" {
		text = safe.Line(step.Name + " went wrong")
	}
	if step.Frame > 0 {
		text = "#" + safe.Int(step.Frame) + " " + text
	}
	return text
}

func findingText(f *diagnose.Finding) safe.Text {
	text := safe.Line(f.Rule.Title)
	if len(f.Frames) > 0 {
		text = "#" + safe.Int(f.Frames[0]) + " " + text
	}
	return text
}

// DrawLifecycleHint says at the end of a strip of one line where something is
// wrong, if there is room for it.
func DrawLifecycleHint(l *term.Line, sc *library.Scene, f *diagnose.Finding) {
	if f == nil || len(f.Frames) == 0 {
		return
	}
	where := "#" + safe.Int(f.Frames[0])
	const explains = " explains"
	n := term.Width(where) + len("  !") + len(explains) + 1
	if l.Used+n+2 > l.Max {
		return
	}
	l.Gap(l.Max-n-l.Used).Put(sc.Theme.Err, where).Gap(2).Put(sc.Theme.Key, "!").Put(sc.Theme.Dim, explains)
}

// Judged is the life cycle of a session with the verdict of the findings: a
// step at which an error shows is a bad one. why says which error.
func Judged(r *library.Recording, s *session.Session) (steps []session.LifeStep, why map[int]*diagnose.Finding) {
	const most = 100 // of a session with more errors nothing more can be read off the strip
	steps = s.Steps
	left := min(r.Findings.BySession[s.Index][diagnose.Error], most)
	for _, f := range r.Findings.All {
		if left == 0 {
			break
		}
		if f.Session != s.Index || f.Severity != diagnose.Error || r.Findings.Muted[f.Rule.ID] {
			continue
		}
		left--
		i := stepOf(steps, f)
		if i < 0 || why[i] != nil {
			continue
		}
		if why == nil {
			why, steps = map[int]*diagnose.Finding{}, slices.Clone(steps)
		}
		why[i] = f
		if step := &steps[i]; step.Mark != session.StepBad {
			step.Mark, step.Note = session.StepBad, "#"+strconv.Itoa(int(f.Frames[0]))
		}
	}
	return steps, why
}

// stepOf is the step that a finding is about: where it shows, or else what
// other evidence it has; -1 for none.
func stepOf(steps []session.LifeStep, f *diagnose.Finding) int {
	for _, n := range f.Frames {
		for i := range steps {
			if steps[i].Frame == n && steps[i].Mark != session.StepAhead {
				return i
			}
		}
	}
	return -1
}
