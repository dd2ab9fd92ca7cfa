package ui

import (
	"midwire/session"
	"midwire/session/safe"
)

// drawStrip writes the life cycle of a session on one line, and returns where
// the bad step stands and which it is; -1 when every step is fine.
func drawStrip(l *line, sc *scene, s *session.Session) (bad, at int) {
	bad = -1
	level := 0
	for level < stripLevels-1 && stripWidth(sc.sg, s.Steps, level) > l.max-2 {
		level++
	}
	return putSteps(l, sc, s, level)
}

// Levels of detail: 0 everything; 1 short links; 2 no times, no notes but the
// beginning of a bad one; 3 nothing that is still ahead; 4 no notes at all.
const stripLevels = 5

func putSteps(l *line, sc *scene, s *session.Session, level int) (bad, at int) {
	bad = -1
	l.gap(1)
	from, room := 0, l.max-2
	for from < turning(s.Steps) && stripWidth(sc.sg, s.Steps[from:], level) > room {
		from, room = from+1, l.max-7
	}
	if from > 0 {
		l.put(sc.th.dim, safe.Text(sc.sg.ellipsis))
	}
	for i := from; i < len(s.Steps); i++ {
		step := &s.Steps[i]
		if level >= 3 && step.Mark == session.StepAhead {
			continue
		}
		if i > 0 {
			l.put(sc.th.frame, stripLink(sc.sg, step, level))
		}
		if step.Mark == session.StepBad && bad < 0 {
			bad, at = i, l.w
		}
		sign, st := stepSign(sc, step.Mark)
		l.put(stepStyle(sc, step.Mark), safe.Line(step.Name))
		l.gap(1).put(st, safe.Text(sign))
		if extra := stepExtra(sc.sg, step, level); extra != "" {
			if step.Mark == session.StepBad {
				l.gap(1).put(sc.th.bad, " "+extra+" ")
			} else {
				l.gap(1).put(sc.th.dim, extra)
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

func stripLink(sg *signs, step *session.LifeStep, level int) safe.Text {
	link := " " + sg.link + " "
	if step.Mark != session.StepAhead {
		link = " " + sg.link + sg.linkEnd + " "
	}
	if level > 0 {
		link = " " + sg.linkEnd + " "
	}
	return safe.Text(link)
}

func stepExtra(sg *signs, step *session.LifeStep, level int) safe.Text {
	switch {
	case level >= 4:
		return ""
	case step.Mark == session.StepBad && level >= 2:
		return cutText(safe.Line(step.Note), 18, sg)
	case step.Mark == session.StepBad:
		return safe.Line(step.Note)
	case level >= 2:
		return ""
	}
	if step.Took > 0 {
		return duration(step.Took)
	}
	return safe.Line(step.Note)
}

func stepSign(sc *scene, m session.StepMark) (string, style) {
	switch m {
	case session.StepDone:
		return sc.sg.ok, sc.th.ok
	case session.StepBad:
		return sc.sg.err, sc.th.err
	case session.StepNow:
		return sc.sg.now, sc.th.ok
	case session.StepSkipped:
		return "-", sc.th.dim
	}
	return sc.sg.ahead, sc.th.dim
}

func stepStyle(sc *scene, m session.StepMark) style {
	switch m {
	case session.StepBad:
		return sc.th.err
	case session.StepAhead, session.StepSkipped:
		return sc.th.dim
	}
	return plain
}

func stripWidth(sg *signs, steps []session.LifeStep, level int) int {
	w := 0
	for i := range steps {
		if level >= 3 && steps[i].Mark == session.StepAhead {
			continue
		}
		if i > 0 {
			w += width(stripLink(sg, &steps[i], level))
		}
		w += width(safe.Line(steps[i].Name)) + 2
		if e := stepExtra(sg, &steps[i], level); e != "" {
			w += width(e) + 1
			if steps[i].Mark == session.StepBad {
				w += 2
			}
		}
	}
	return w
}

// drawStripNote writes the line under the strip: what is wrong with the bad
// step, pointing at it, or else who talks to whom and why these messages are
// one session.
func drawStripNote(l *line, sc *scene, s *session.Session, bad, at int) {
	if bad < 0 {
		l.gap(1)
		if s.Client.Name != "" {
			l.put(sc.th.dim, peerText(s.Client)).put(sc.th.dim, safe.Text(" "+sc.sg.arrow+" "))
		}
		if s.Server.Name != "" {
			l.put(sc.th.dim, peerText(s.Server)).put(sc.th.dim, "   ")
		}
		l.put(sc.th.dim, "one session by ").put(sc.th.dim, safe.Line(s.Why))
		return
	}
	step := &s.Steps[bad]
	text := safe.Line(step.Name + ": " + step.Note)
	if step.Note == "" {
		text = safe.Line(step.Name + " went wrong")
	}
	if step.Frame > 0 {
		text = safe.Text("#"+itoa(int(step.Frame))+" ") + text
	}
	l.gap(max(1, min(at, l.max-width(text)-3)))
	l.put(sc.th.err, safe.Text(sc.sg.here)).gap(1).put(plain, text)
}

func peerText(p session.Peer) safe.Text {
	name := p.Name
	if name == "" {
		name = p.Title
	}
	if p.Version != "" {
		name += " " + p.Version
	}
	return safe.Line(name)
}
