package ui

import (
	"slices"
	"strconv"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// nodeKind says what a line of the session tree stands for.
type nodeKind uint8

const (
	noNode nodeKind = iota
	liveNode
	pastNode
	recNode
	sessionNode
	looseNode // what belongs to no session
	infoNode  // a line about the node above it: cannot be selected
)

// nodeKey is the identity of a line, stable while data changes.
type nodeKey struct {
	sess int
	kind nodeKind
	rec  string
}

func recKey(rec string) nodeKey { return nodeKey{library.AllSessions, recNode, rec} }

func sessionKey(rec string, sess int) nodeKey { return nodeKey{sess, sessionNode, rec} }

// node is one line of the session tree. Its words are made when it is drawn.
type node struct {
	key   nodeKey
	rec   string // recording it shows, "" for none
	sess  int
	depth int
	info  bool
	folds bool
	open  bool
	text  safe.Text // of a heading or an info line
	count int       // of a heading, of what belongs to no session
	of    *library.Recording
}

// tree is the session tree: groups, recordings, sessions.
type tree struct {
	nodes  []node
	sel    nodeKey
	at     int // where it was found last
	folded map[nodeKey]bool
	opened map[nodeKey]bool
	find   string // only what has this text is shown; "" for all
	hits   int    // recordings and sessions that have it
	marked *SessionRef
	top    int
	height int

	stale bool // recordings came or changed
	order []*library.Recording
	apart map[*library.Recording]bool // look like another one
	sg    *term.Glyphs
	name  struct{ of, w, cells int } // the width of names, as it was computed last
	built int                        // counts rebuilds
}

func newTree() tree {
	return tree{folded: map[nodeKey]bool{}, opened: map[nodeKey]bool{}, stale: true}
}

// rebuild makes the lines anew from the recordings: the live ones in the order
// in which they came, so that none moves, and those of the past latest first.
// It runs with every batch of frames, and does little for each of thousands of
// sessions.
func (t *tree) rebuild(recs []*library.Recording, sc *library.Scene) {
	if t.stale {
		t.sort(recs)
	}
	t.sg = sc.Glyphs
	t.built++
	t.nodes, t.hits = t.nodes[:0], 0
	live, past := 0, 0
	for _, r := range t.order {
		switch {
		case !r.Live:
			past++
		case r.Tap != "http":
			live++
		}
	}
	t.group(liveNode, "LIVE", live, func(r *library.Recording) bool { return r.Live && r.Tap != "http" })
	for _, r := range t.order {
		if r.Live && r.Tap == "http" {
			t.addHTTP(r)
		}
	}
	t.group(pastNode, "RECORDED", past, func(r *library.Recording) bool { return !r.Live })
}

// sort puts the recordings into order and finds those that look the same.
func (t *tree) sort(recs []*library.Recording) {
	t.stale = false
	t.order = append(t.order[:0], recs...)
	slices.SortStableFunc(t.order, func(a, b *library.Recording) int {
		if a.Live || b.Live {
			return 0
		}
		return b.Started.Compare(a.Started)
	})
	type look struct{ label, tap, when safe.Text }
	same := map[look][]*library.Recording{}
	for _, r := range recs {
		if !r.Live || r.Tap != "http" {
			k := look{r.Name(), safe.Line(r.Tap), wideRecording(r).when}
			same[k] = append(same[k], r)
		}
	}
	t.apart = map[*library.Recording]bool{}
	for _, alike := range same {
		for _, r := range alike {
			t.apart[r] = len(alike) > 1
		}
	}
}

// group adds a heading with the recordings that belong there.
func (t *tree) group(kind nodeKind, label safe.Text, n int, belongs func(*library.Recording) bool) {
	if n == 0 {
		return
	}
	key := nodeKey{library.AllSessions, kind, ""}
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{key: key, folds: true, open: !t.folded[key] || t.find != "", text: label, count: n, sess: library.AllSessions})
	if !t.nodes[at].open {
		return
	}
	shown := 0
	for _, r := range t.order {
		if belongs(r) && t.addRecording(r) {
			shown++
		}
	}
	if t.find == "" {
		return
	}
	if t.nodes[at].count = shown; shown == 0 {
		t.nodes = t.nodes[:at]
	}
}

// addHTTP adds a live HTTP tap as a group of its own.
func (t *tree) addHTTP(r *library.Recording) {
	key := recKey(r.ID)
	own := t.matches(r)
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{key: key, folds: true, open: !t.folded[key] || t.find != "" && !own, rec: r.ID, sess: library.AllSessions, of: r})
	shown := 0
	if t.nodes[at].open {
		if r.Trouble != "" {
			t.infos(1, []safe.Text{r.TroubleText()})
		}
		shown = t.addSessions(r, 1, own)
	}
	if t.find != "" && !own && shown == 0 {
		t.nodes = t.nodes[:at]
	}
}

// addSessions adds the sessions of a recording, the latest first, and what
// belongs to none. With all, what does not match is there too. It returns how
// many it added.
func (t *tree) addSessions(r *library.Recording, depth int, all bool) int {
	from := len(t.nodes)
	sessions := r.Tracker.Sessions()
	for i := len(sessions) - 1; i >= 0; i-- {
		if t.find != "" {
			if t.has(r, sessions[i]) {
				t.hits++
			} else if !all {
				continue
			}
		}
		key := sessionKey(r.ID, i)
		n := node{key: key, depth: depth, folds: true, rec: r.ID, sess: i, of: r}
		n.open = len(t.opened) > 0 && t.opened[key]
		t.nodes = append(t.nodes, n)
		if n.open {
			t.infos(depth+1, t.sessionInfos(sessions[i]))
		}
	}
	if n := len(r.Tracker.Loose()); n > 0 && all {
		t.nodes = append(t.nodes, node{key: nodeKey{library.NoSession, looseNode, r.ID}, depth: depth, rec: r.ID, sess: library.NoSession, of: r, text: "no session", count: n})
	}
	return len(t.nodes) - from
}

// addRecording adds a stdio or past recording; when it has several sessions
// they are lines below it. It says whether there is anything to be seen of it.
func (t *tree) addRecording(r *library.Recording) bool {
	all := r.Tracker.Sessions()
	own := t.matches(r)
	if !own && len(all) == 1 && t.has(r, all[0]) {
		own = true
		t.hits++
	}
	at := len(t.nodes)
	n := node{key: recKey(r.ID), depth: 1, folds: true, rec: r.ID, sess: library.AllSessions, of: r}
	n.open = t.opened[n.key] || !own && len(all) > 1
	t.nodes = append(t.nodes, n)
	shown := 0
	switch {
	case !n.open:
	case len(all) > 1:
		shown = t.addSessions(r, 2, own)
	case own:
		infos := []safe.Text{r.TroubleText(), safe.Line(r.Where)}
		if len(all) == 1 {
			infos = append(infos, t.sessionInfos(all[0])...)
		} else if !r.Opened {
			infos = append(infos, term.Size(r.Size)+", enter opens it")
		}
		t.infos(2, infos)
	}
	if !own && shown == 0 {
		t.nodes = t.nodes[:at]
		return false
	}
	return true
}

func (t *tree) infos(depth int, texts []safe.Text) {
	for _, s := range texts {
		if s != "" {
			t.nodes = append(t.nodes, node{key: nodeKey{library.AllSessions, infoNode, ""}, depth: depth, info: true, text: s, sess: library.AllSessions})
		}
	}
}

func (t *tree) sessionInfos(s *session.Session) []safe.Text {
	rev := string(s.ProtocolVersion)
	if rev == "" {
		rev = "revision unknown"
	}
	dot := " · "
	if t.sg != nil {
		dot = " " + t.sg.Dot + " "
	}
	out := []safe.Text{peerText(s.Client), safe.Line(rev + dot + strconv.Itoa(s.Messages) + " msg")}
	if s.ID == "" && s.Transport != session.TransportStdio {
		out = append(out, safe.Line("by "+s.Why))
	}
	return out
}
