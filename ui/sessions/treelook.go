package sessions

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// nodeLook is a line of the tree in words and signs.
type nodeLook struct {
	sign   safe.Text
	signSt term.Style
	label  safe.Text
	note   safe.Text // after the label, dimmed
	badge  safe.Text
	badged term.Style // of the badge; none dims it
	st     term.Style
	age    safe.Text // when it began, short
	wide   columnsOfNode
}

// columnsOfNode is what a node shows besides where there is room for it.
type columnsOfNode struct {
	tap, when, where, size safe.Text
	trouble                bool // where is about something wrong
}

// look puts a line into words.
func (t *Tree) look(n *Node, sc *library.Scene) nodeLook {
	switch n.Key.kind {
	case LiveGroup, PastGroup:
		return nodeLook{label: n.text, badge: term.Number(n.Count), st: term.Bold}
	case looseNode:
		return nodeLook{sign: sc.Glyphs.Dot, signSt: sc.Theme.Dim, label: n.text, badge: term.Number(n.Count)}
	case SessionNode:
		return lookOfSession(n.Recording, n.Recording.Session(n.Sess), sc)
	case RecordingNode:
		if n.depth == 0 {
			return lookOfTap(n.Recording, sc)
		}
		return t.lookOfRecording(n.Recording, sc)
	}
	return nodeLook{label: n.text}
}

// lookOfTap is a live HTTP tap, a group of its own.
func lookOfTap(r *library.Recording, sc *library.Scene) nodeLook {
	label := strings.TrimSpace("HTTP " + r.Where)
	listen, _, _ := strings.Cut(r.Where, " ")
	if _, port, ok := strings.Cut(listen, ":"); ok {
		label = "HTTP :" + port
	}
	n := nodeLook{label: safe.Line(label), st: term.Bold, note: r.Name(), wide: wideRecording(r)}
	if k := len(r.Tracker.Sessions()); k > 0 {
		n.badge = term.Number(k)
	}
	n.findings(r.Findings.Total, sc)
	return n
}

func lookOfSession(r *library.Recording, s *session.Session, sc *library.Scene) nodeLook {
	n := nodeLook{}
	if s == nil {
		return n
	}
	n.sign, n.signSt = stateSign(s.State, r.Live, sc)
	n.label, n.note = sessionLabel(s, sc.Glyphs)
	if name := r.CalledSession(s); name != "" {
		n.note, n.label = n.label, safe.Line(name)
	}
	n.wide.where = safe.Line(string(s.ProtocolVersion)) + "  " + term.Number(s.Messages) + " msg"
	n.errors(s.Errors, sc)
	n.findings(r.Findings.BySession[s.Index], sc)
	return n
}

// sessionLabel is what to call a session that has no name.
func sessionLabel(s *session.Session, sg *term.Glyphs) (label, note safe.Text) {
	switch {
	case s.ID != "":
		label, note = ShortID(s.ID, sg), safe.Line(s.Client.Name)
	case s.Client.Name != "":
		label = library.PeerText(s.Client)
	case s.Probe:
		label = "probe"
	default:
		label = "stateless"
	}
	if note == "" && s.Modern {
		note = safe.Line(strings.TrimSuffix(string(s.ProtocolVersion), "-28"))
	}
	return label, note
}

func (t *Tree) lookOfRecording(r *library.Recording, sc *library.Scene) nodeLook {
	n := nodeLook{label: r.Name(), sign: sc.Glyphs.Ended, signSt: sc.Theme.Dim}
	if r.Live {
		n.sign, n.signSt = sc.Glyphs.Live, sc.Theme.Ok
	}
	n.note, n.age, n.wide = safe.Line(r.Tap), age(r.Started, sc.Now), wideRecording(r)
	if t.apart[r] && n.age != "" {
		n.wide.when = safe.Time(r.Started.Local(), "01-02 15:04:05")
		if len(n.age) == len("15:04") && n.age[2] == ':' {
			n.age = safe.Time(r.Started.Local(), "15:04:05")
		}
	}
	if all := r.Tracker.Sessions(); len(all) == 1 {
		n.sign, n.signSt = stateSign(all[0].State, r.Live, sc)
	}
	_, errs, _ := r.Total()
	n.errors(errs, sc)
	n.findings(r.Findings.Total, sc)
	if r.Trouble != "" {
		n.sign, n.signSt = sc.Glyphs.Warn, sc.Theme.Warn
	}
	if r.Loading > 0 && r.Loading < 1 {
		n.badge, n.badged = safe.Int(int(r.Loading*100))+"%", ""
	}
	return n
}

func wideRecording(r *library.Recording) columnsOfNode {
	c := columnsOfNode{
		tap: safe.Line(r.Tap), where: safe.Line(r.Where), size: term.Size(r.Size),
	}
	if !r.Started.IsZero() {
		c.when = safe.Time(r.Started.Local(), "01-02 15:04")
	}
	if r.Trouble != "" {
		c.where, c.trouble = r.TroubleText(), true
	}
	return c
}

// age is a moment in five cells: the time when it was today, else the day.
func age(t, now time.Time) safe.Text {
	if t.IsZero() {
		return ""
	}
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return safe.Time(t, "15:04")
	}
	return safe.Time(t, "01-02")
}

// errors makes the badge say how many calls failed.
func (n *nodeLook) errors(errs int, sc *library.Scene) {
	if errs > 0 {
		n.badge, n.badged = "E"+safe.Int(errs), sc.Theme.Err
	}
}

// findings makes the badge say how many findings there are of the worst
// severity, if there are any.
func (n *nodeLook) findings(t library.Tally, sc *library.Scene) {
	if worst := t.Worst(); worst != 0 {
		sign, st := sc.Severity(worst)
		n.badge, n.badged = sign+term.Number(t[worst]), st
	}
}

// ShortID shortens a session id to its ends.
func ShortID(id string, sg *term.Glyphs) safe.Text {
	s := safe.Line(id)
	if term.Width(s) <= 11 {
		return s
	}
	return term.Cut(s, 4+term.Width(sg.Ellipsis), sg.Ellipsis) + term.CutLeft(s, term.Width(s)-4, "")
}

func stateSign(s session.State, live bool, sc *library.Scene) (safe.Text, term.Style) {
	switch s {
	case session.StateFailed, session.StateLost:
		return sc.Glyphs.Err, sc.Theme.Err
	case session.StateClosed:
		return sc.Glyphs.Ended, sc.Theme.Dim
	}
	if !live {
		return sc.Glyphs.Ended, sc.Theme.Dim
	}
	if s == session.StateOperating {
		return sc.Glyphs.Live, sc.Theme.Ok
	}
	return sc.Glyphs.Pend, sc.Theme.Pend
}
