package detail

import (
	"slices"
	"strconv"
	"strings"
	"time"

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
	lay := layStrip(sc.Glyphs, steps, l.Max-2)
	l.Gap(1)
	for i, p := range lay.steps {
		step := &steps[p]
		if i == 0 && lay.left {
			l.Put(sc.Theme.Dim, sc.Glyphs.Ellipsis)
		}
		if p > 0 {
			l.Put(sc.Theme.Frame, stripLink(sc.Glyphs, step, lay.level))
		}
		if step.Mark == session.StepBad && bad < 0 {
			bad, at = p, l.Used
		}
		putStep(l, sc, step, lay.level)
	}
	if lay.right {
		l.Put(sc.Theme.Dim, " "+sc.Glyphs.Ellipsis)
	}
	return bad, at
}

func putStep(l *term.Line, sc *library.Scene, step *session.LifeStep, level int) {
	sign, st := stepSign(sc, step.Mark)
	extra := stepExtra(sc.Glyphs, step, level)
	name := stepStyle(sc, step.Mark)
	if extra == "" && step.Mark == session.StepBad {
		name = sc.Theme.Bad
	}
	l.Put(name, safe.Line(step.Name)).Gap(1).Put(st, sign)
	switch {
	case extra == "":
	case step.Mark == session.StepBad:
		l.Gap(1).Put(sc.Theme.Bad, " "+extra+" ")
	default:
		l.Gap(1).Put(sc.Theme.Dim, extra)
	}
}

// StepAt is the step that stands at a column of a strip of w cells, -1 for none.
func StepAt(sc *library.Scene, steps []session.LifeStep, w, x int) int {
	lay := layStrip(sc.Glyphs, steps, w-2)
	at := 1
	if lay.left {
		at += term.Width(sc.Glyphs.Ellipsis)
	}
	for _, p := range lay.steps {
		at += linkWidth(sc.Glyphs, steps, p, lay.level)
		n := stepWidth(sc.Glyphs, &steps[p], lay.level)
		if x >= at && x < at+n {
			return p
		}
		at += n
	}
	return -1
}

// Levels of detail: 0 everything; 1 short links; 2 no times, no notes but the
// beginning of a bad one; 3 nothing that is still ahead; 4 no notes at all.
const stripLevels = 5

// strip is what of the life cycle is drawn.
type strip struct {
	steps       []int
	level       int
	left, right bool // something is left out there, which a sign says
}

// layStrip chooses the most detail that fits into room cells. Where nothing does,
// the beginning is left out, and then the end.
func layStrip(sg *term.Glyphs, steps []session.LifeStep, room int) strip {
	var s strip
	for {
		s.steps = s.steps[:0]
		for i := range steps {
			if s.level < 3 || steps[i].Mark != session.StepAhead {
				s.steps = append(s.steps, i)
			}
		}
		if s.width(sg, steps) <= room || s.level == stripLevels-1 {
			break
		}
		s.level++
	}
	for turn := turning(steps); len(s.steps) > 1 && s.steps[0] < turn && s.width(sg, steps) > room; s.left = true {
		s.steps = s.steps[1:]
	}
	for ; len(s.steps) > 1 && s.width(sg, steps) > room; s.right = true {
		s.steps = s.steps[:len(s.steps)-1]
	}
	return s
}

func (s *strip) width(sg *term.Glyphs, steps []session.LifeStep) (w int) {
	for _, i := range s.steps {
		w += linkWidth(sg, steps, i, s.level) + stepWidth(sg, &steps[i], s.level)
	}
	if s.left {
		w += term.Width(sg.Ellipsis)
	}
	if s.right {
		w += term.Width(sg.Ellipsis) + 1
	}
	return w
}

func linkWidth(sg *term.Glyphs, steps []session.LifeStep, i, level int) int {
	if i == 0 {
		return 0
	}
	return term.Width(stripLink(sg, &steps[i], level))
}

func stepWidth(sg *term.Glyphs, step *session.LifeStep, level int) int {
	w := term.Width(safe.Line(step.Name)) + 2
	if e := stepExtra(sg, step, level); e != "" {
		w += term.Width(e) + 1
		if step.Mark == session.StepBad {
			w += 2
		}
	}
	return w
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
	if step.Took == 0 {
		return safe.Line(step.Note)
	}
	took := term.Duration(step.Took)
	if level == 0 && strings.Contains(step.Note, session.Became) {
		took += " " + safe.Line(step.Note)
	}
	return took
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
		l.Put(sc.Theme.Dim, "grouped by "+safe.Line(s.Why))
		if r := sc.Rec; r != nil && r.Live { // a moment, which is true until there is another
			last := safe.Time(r.Started.Add(time.Duration(s.Last)).Local(), "15:04:05")
			l.Put(sc.Theme.Dim, "   last message "+last)
		}
	}
}

// drawFinding points at the bad step and names what was found there, at that
// side of it where there is room, else over all of the line.
func (p *Pointed) drawFinding(l *term.Line, sc *library.Scene) {
	text := findingText(p.F)
	here, explains := sc.Glyphs.Here, safe.Text(" explains")
	tail := term.Width(explains) + 4 // with the key and its blanks
	if p.Bad < 0 {
		here, p.At = sc.Glyphs.Err, 1
	}
	right, left := l.Max-p.At-2-tail, p.At-2
	switch n := term.Width(text); {
	case n <= right:
		l.Gap(max(1, p.At)).Put(sc.Theme.Err, here).Gap(1).Put(term.Plain, text)
	case n > left: // it says more whole than with a place
		l.Gap(1).Put(sc.Theme.Err, sc.Glyphs.Err).Gap(1).PutMax(term.Plain, text, l.Max-3-tail)
	default:
		l.Gap(max(1, left+1-n)).Put(term.Plain, text).Gap(1).Put(sc.Theme.Err, here)
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
	steps = standing(r, s)
	left := min(r.Findings.BySession[s.Index][diagnose.Error], most)
	for _, f := range r.Findings.All {
		if left == 0 {
			break
		}
		if f.Session != s.Index || f.Severity != diagnose.Error || r.Findings.Muted[f.Rule.ID] {
			continue
		}
		left--
		i, at := stepOf(r, steps, f)
		if i < 0 || why[i] != nil {
			continue
		}
		if why == nil {
			why, steps = map[int]*diagnose.Finding{}, slices.Clone(steps)
		}
		why[i] = f
		if step := &steps[i]; step.Mark != session.StepBad {
			step.Mark, step.Note = session.StepBad, "#"+strconv.FormatUint(at, 10)
		}
	}
	v := r.VerdictOf(s.Index)
	return v.LifeCycle(steps, r.Live), why
}

// standing are the steps of a session with where it stands: nothing goes on in a
// recording that has ended, or where the server refuses every request.
func standing(r *library.Recording, s *session.Session) []session.LifeStep {
	i := slices.IndexFunc(s.Steps, func(step session.LifeStep) bool { return step.Mark == session.StepNow })
	if i < 0 {
		return s.Steps
	}
	good := s.Calls - s.Errors - s.Pending
	if k := slices.IndexFunc(s.Steps, func(step session.LifeStep) bool { return step.Took > 0 }); k >= 0 && k < i {
		good-- // the handshake
	}
	steps, step := s.Steps, session.StepNow
	switch operates := s.State == session.StateOperating; {
	case operates && s.Errors > 0 && good <= 0:
		step = session.StepBad
	case r.Live:
		return steps
	case operates:
		step = session.StepDone
	default:
		step = session.StepAhead
	}
	steps = slices.Clone(steps)
	steps[i].Mark = step
	if step == session.StepBad {
		steps[i].Note = strconv.Itoa(s.Errors) + " of " + strconv.Itoa(s.Errors+s.Pending) + " failed"
	}
	return steps
}

// stepOf is the step at which a finding shows, and the frame at which it does; -1
// for none. Other evidence of it may stand at steps with which nothing is wrong.
// A step that is a bad one already goes before others of the same message.
func stepOf(r *library.Recording, steps []session.LifeStep, f *diagnose.Finding) (step int, at uint64) {
	const most = 64 // a step is one of the first messages of a session
	step = -1
	for _, n := range f.Shows[:min(len(f.Shows), most)] {
		row := r.RowAt(n)
		for i := range steps {
			of, mark := steps[i].Frame, steps[i].Mark
			if of == 0 || mark == session.StepAhead || of != n && (row < 0 || r.RowAt(of) != row) {
				continue
			}
			if mark == session.StepBad {
				return i, n
			}
			if step < 0 {
				step, at = i, n
			}
		}
		if step >= 0 {
			break
		}
	}
	return step, at
}
