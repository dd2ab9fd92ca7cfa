package ui

import (
	"slices"
	"strings"
	"time"

	"midwire/session"
	"midwire/session/safe"
)

// node is one line of the session tree.
type node struct {
	key    string // identity, stable while data changes
	depth  int
	info   bool // a line about the node above it: cannot be selected
	folds  bool
	open   bool
	sign   string
	signSt style
	label  safe.Text
	note   safe.Text // after the label, dimmed
	badge  safe.Text
	badged style // of the badge; none dims it
	st     style
	rec    string // recording it shows, "" for none
	sess   int
	age    safe.Text // when it began, short
	began  time.Time
	wide   columnsOfNode
}

// columnsOfNode is what a node shows besides where there is room for it.
type columnsOfNode struct {
	tap, when, where, size safe.Text
	trouble                bool // where is about something wrong
}

// tree is the session tree: groups, recordings, sessions.
type tree struct {
	nodes  []node
	sel    string // key of the selected node
	folded map[string]bool
	opened map[string]bool
	top    int
	height int
}

func newTree() tree { return tree{folded: map[string]bool{}, opened: map[string]bool{}} }

// rebuild makes the lines anew from the recordings: the live ones in the order
// in which they came, so that none moves, and those of the past latest first.
func (t *tree) rebuild(recs []*recording, sc *scene) {
	t.nodes = t.nodes[:0]
	var live, past []*recording
	for _, r := range recs {
		switch {
		case !r.Live:
			past = append(past, r)
		case r.Tap == "http":
			t.addHTTP(r, sc)
		default:
			live = append(live, r)
		}
	}
	http := slices.Clone(t.nodes)
	t.nodes = t.nodes[:0]
	if len(live) > 0 && t.group("live", "LIVE", len(live)) {
		for _, r := range live {
			t.addRecording(r, sc)
		}
	}
	t.nodes = append(t.nodes, http...)
	slices.SortStableFunc(past, func(a, b *recording) int { return b.Started.Compare(a.Started) })
	if len(past) > 0 && t.group("past", "RECORDED", len(past)) {
		for _, r := range past {
			t.addRecording(r, sc)
		}
	}
	t.tellApart()
}

// tellApart gives recordings that look the same a more exact time.
func (t *tree) tellApart() {
	type look struct{ label, tap, when safe.Text }
	same := map[look]int{}
	of := func(n *node) look { return look{n.label, n.note, n.wide.when} }
	for i := range t.nodes {
		if n := &t.nodes[i]; n.age != "" {
			same[of(n)]++
		}
	}
	for i := range t.nodes {
		if n := &t.nodes[i]; n.age != "" && same[of(n)] > 1 {
			n.wide.when = safe.Text(n.began.Local().Format("01-02 15:04:05"))
			if len(n.age) == len("15:04") && n.age[2] == ':' {
				n.age = safe.Text(n.began.Local().Format("15:04:05"))
			}
		}
	}
}

// group adds a heading and says whether it is unfolded.
func (t *tree) group(key, label string, n int) bool {
	open := !t.folded[key]
	t.nodes = append(t.nodes, node{key: key, folds: true, open: open, label: safe.Text(label), badge: number(n), st: bold, sess: wholeRecording})
	return open
}

// addHTTP adds a live HTTP tap as a group of its own.
func (t *tree) addHTTP(r *recording, sc *scene) {
	label := "HTTP " + r.Where
	if _, port, ok := strings.Cut(strings.Fields(r.Where + " ")[0], ":"); ok {
		label = "HTTP :" + port
	}
	key := "rec:" + r.ID
	open := !t.folded[key]
	n := node{key: key, folds: true, open: open, label: safe.Line(label), st: bold, rec: r.ID, sess: wholeRecording}
	if k := len(r.t.Sessions()); k > 0 {
		n.badge = number(k)
	}
	n.findings(r.finds.total, sc)
	n.note = r.name()
	n.wide = wideRecording(r)
	t.nodes = append(t.nodes, n)
	if open {
		if r.Trouble != "" {
			t.infos(1, []safe.Text{r.trouble()})
		}
		t.addSessions(r, 1, sc)
	}
}

// addSessions adds the sessions of a recording, the latest first, and what
// belongs to none.
func (t *tree) addSessions(r *recording, depth int, sc *scene) {
	all := r.t.Sessions()
	for i := len(all) - 1; i >= 0; i-- {
		t.addSession(r, all[i], depth, sc)
	}
	if n := len(r.t.Loose()); n > 0 {
		t.nodes = append(t.nodes, node{
			key: "loose:" + r.ID, depth: depth, sign: sc.sg.dot, signSt: sc.th.dim, label: "no session",
			badge: number(n), rec: r.ID, sess: looseRows,
		})
	}
}

func (t *tree) addSession(r *recording, s *session.Session, depth int, sc *scene) {
	n := node{key: "s:" + r.ID + ":" + itoa(s.Index), depth: depth, folds: true, rec: r.ID, sess: s.Index}
	n.open = t.opened[n.key]
	n.sign, n.signSt = stateSign(s.State, r.Live, sc)
	switch {
	case s.ID != "":
		n.label = shortID(s.ID, sc.sg)
		n.note = safe.Line(s.Client.Name)
	case s.Client.Name != "":
		n.label = peerText(s.Client)
	case s.Probe:
		n.label = "probe"
	default:
		n.label = "stateless"
	}
	if n.note == "" && s.Modern {
		n.note = safe.Line(strings.TrimSuffix(s.Revision, "-28"))
	}
	n.wide.where = safe.Line(s.Revision) + "  " + number(s.Messages) + " msg"
	n.errors(s.Errors, sc)
	n.findings(r.finds.session[s.Index], sc)
	t.nodes = append(t.nodes, n)
	if n.open {
		t.infos(depth+1, sessionInfos(s))
	}
}

// addRecording adds a stdio or past recording; when it has several sessions
// they are lines below it.
func (t *tree) addRecording(r *recording, sc *scene) {
	n := node{key: "rec:" + r.ID, depth: 1, folds: true, rec: r.ID, sess: wholeRecording, label: r.name()}
	n.open = t.opened[n.key]
	n.sign, n.signSt = sc.sg.ended, sc.th.dim
	if r.Live {
		n.sign, n.signSt = sc.sg.live, sc.th.ok
	}
	n.note, n.age, n.began, n.wide = safe.Line(r.Tap), age(r.Started, sc.now), r.Started, wideRecording(r)
	all := r.t.Sessions()
	if len(all) == 1 {
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
	t.nodes = append(t.nodes, n)
	switch {
	case !n.open:
	case len(all) > 1:
		t.addSessions(r, 2, sc)
	default:
		infos := []safe.Text{r.trouble(), safe.Line(r.Where)}
		if len(all) == 1 {
			infos = append(infos, sessionInfos(all[0])...)
		} else if !r.asked {
			infos = append(infos, size(r.Size)+", enter opens it")
		}
		t.infos(2, infos)
	}
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
func (n *node) errors(errs int, sc *scene) {
	if errs > 0 {
		n.badge, n.badged = safe.Text("E"+itoa(errs)), sc.th.err
	}
}

// findings makes the badge say how many findings there are of the worst
// severity, if there are any.
func (n *node) findings(t tally, sc *scene) {
	if worst := t.worst(); worst != 0 {
		sign, st := sc.severity(worst)
		n.badge, n.badged = safe.Text(sign)+number(t[worst]), st
	}
}

func (t *tree) infos(depth int, texts []safe.Text) {
	for _, s := range texts {
		if s != "" {
			t.nodes = append(t.nodes, node{depth: depth, info: true, label: s, sess: wholeRecording})
		}
	}
}

func sessionInfos(s *session.Session) []safe.Text {
	rev := s.Revision
	if rev == "" {
		rev = "revision unknown"
	}
	out := []safe.Text{peerText(s.Client), safe.Line(rev + " · " + itoa(s.Messages) + " msg")}
	if s.ID == "" && s.Transport != session.TransportStdio {
		out = append(out, safe.Line("by "+s.Why))
	}
	return out
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
