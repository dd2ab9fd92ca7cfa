package ui

import (
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
)

// nodeLook is a line of the tree in words and signs.
type nodeLook struct {
	sign   string
	signSt style
	label  safe.Text
	note   safe.Text // after the label, dimmed
	badge  safe.Text
	badged style // of the badge; none dims it
	st     style
	age    safe.Text // when it began, short
	wide   columnsOfNode
}

// columnsOfNode is what a node shows besides where there is room for it.
type columnsOfNode struct {
	tap, when, where, size safe.Text
	trouble                bool // where is about something wrong
}

// look puts a line into words.
func (t *tree) look(n *node, sc *scene) nodeLook {
	switch n.key.kind {
	case liveNode, pastNode:
		return nodeLook{label: n.text, badge: number(n.count), st: bold}
	case looseNode:
		return nodeLook{sign: sc.sg.dot, signSt: sc.th.dim, label: n.text, badge: number(n.count)}
	case sessionNode:
		return lookOfSession(n.of, n.of.session(n.sess), sc)
	case recNode:
		if n.depth == 0 {
			return lookOfTap(n.of, sc)
		}
		return t.lookOfRecording(n.of, sc)
	}
	return nodeLook{label: n.text}
}

// lookOfTap is a live HTTP tap, a group of its own.
func lookOfTap(r *recording, sc *scene) nodeLook {
	label := strings.TrimSpace("HTTP " + r.Where)
	listen, _, _ := strings.Cut(r.Where, " ")
	if _, port, ok := strings.Cut(listen, ":"); ok {
		label = "HTTP :" + port
	}
	n := nodeLook{label: safe.Line(label), st: bold, note: r.name(), wide: wideRecording(r)}
	if k := len(r.t.Sessions()); k > 0 {
		n.badge = number(k)
	}
	n.findings(r.finds.total, sc)
	return n
}

func lookOfSession(r *recording, s *session.Session, sc *scene) nodeLook {
	n := nodeLook{}
	if s == nil {
		return n
	}
	n.sign, n.signSt = stateSign(s.State, r.Live, sc)
	n.label, n.note = sessionLabel(s, sc.sg)
	if name := r.calledSession(s); name != "" {
		n.note, n.label = n.label, safe.Line(name)
	}
	n.wide.where = safe.Line(string(s.ProtocolVersion)) + "  " + number(s.Messages) + " msg"
	n.errors(s.Errors, sc)
	n.findings(r.finds.session[s.Index], sc)
	return n
}

// sessionLabel is what to call a session that has no name.
func sessionLabel(s *session.Session, sg *signs) (label, note safe.Text) {
	switch {
	case s.ID != "":
		label, note = shortID(s.ID, sg), safe.Line(s.Client.Name)
	case s.Client.Name != "":
		label = peerText(s.Client)
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

func (t *tree) lookOfRecording(r *recording, sc *scene) nodeLook {
	n := nodeLook{label: r.name(), sign: sc.sg.ended, signSt: sc.th.dim}
	if r.Live {
		n.sign, n.signSt = sc.sg.live, sc.th.ok
	}
	n.note, n.age, n.wide = safe.Line(r.Tap), age(r.Started, sc.now), wideRecording(r)
	if t.apart[r] && n.age != "" {
		n.wide.when = safe.Text(r.Started.Local().Format("01-02 15:04:05"))
		if len(n.age) == len("15:04") && n.age[2] == ':' {
			n.age = safe.Text(r.Started.Local().Format("15:04:05"))
		}
	}
	if all := r.t.Sessions(); len(all) == 1 {
		n.sign, n.signSt = stateSign(all[0].State, r.Live, sc)
	}
	_, errs, _ := r.total()
	n.errors(errs, sc)
	n.findings(r.finds.total, sc)
	if r.Trouble != "" {
		n.sign, n.signSt = sc.sg.warn, sc.th.warn
	}
	if r.loading > 0 && r.loading < 1 {
		n.badge, n.badged = safe.Text(itoa(int(r.loading*100))+"%"), ""
	}
	return n
}

func wideRecording(r *recording) columnsOfNode {
	c := columnsOfNode{
		tap: safe.Line(r.Tap), where: safe.Line(r.Where), size: size(r.Size),
	}
	if !r.Started.IsZero() {
		c.when = safe.Text(r.Started.Local().Format("01-02 15:04"))
	}
	if r.Trouble != "" {
		c.where, c.trouble = r.trouble(), true
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
		return safe.Text(t.Format("15:04"))
	}
	return safe.Text(t.Format("01-02"))
}

// errors makes the badge say how many calls failed.
func (n *nodeLook) errors(errs int, sc *scene) {
	if errs > 0 {
		n.badge, n.badged = safe.Text("E"+itoa(errs)), sc.th.err
	}
}

// findings makes the badge say how many findings there are of the worst
// severity, if there are any.
func (n *nodeLook) findings(t tally, sc *scene) {
	if worst := t.worst(); worst != 0 {
		sign, st := sc.severity(worst)
		n.badge, n.badged = safe.Text(sign)+number(t[worst]), st
	}
}

// shortID shortens a session id to its ends.
func shortID(id string, sg *signs) safe.Text {
	s := safe.Line(id)
	if width(s) <= 11 {
		return s
	}
	r := []rune(string(s))
	return safe.Text(string(r[:4]) + sg.ellipsis + string(r[len(r)-4:]))
}

func stateSign(s session.State, live bool, sc *scene) (string, style) {
	switch s {
	case session.StateFailed, session.StateLost:
		return sc.sg.err, sc.th.err
	case session.StateClosed:
		return sc.sg.ended, sc.th.dim
	}
	if !live {
		return sc.sg.ended, sc.th.dim
	}
	if s == session.StateOperating {
		return sc.sg.live, sc.th.ok
	}
	return sc.sg.pend, sc.th.pend
}
