package sessions

import (
	"slices"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// nodeKind says what a line of the session tree stands for.
type nodeKind uint8

const (
	noNode nodeKind = iota
	LiveGroup
	PastGroup
	RecordingNode
	SessionNode
	looseNode // what belongs to no session
	infoNode  // a line about the node above it: cannot be selected
)

// Key is the identity of a line, stable while data changes.
type Key struct {
	sess int
	kind nodeKind
	rec  string
}

// RecordingKey is the key of the line of a recording.
func RecordingKey(rec string) Key { return Key{library.AllSessions, RecordingNode, rec} }

// SessionKey is the key of the line of a session.
func SessionKey(rec string, sess int) Key { return Key{sess, SessionNode, rec} }

// Node is one line of the session tree. Its words are made when it is drawn.
type Node struct {
	Key       Key
	Rec       string // recording it shows, "" for none
	Sess      int
	depth     int
	Info      bool
	folds     bool
	open      bool
	text      safe.Text // of a heading or an info line
	Count     int       // of a heading, of what belongs to no session
	Recording *library.Recording
}

// Tree is the session tree: groups, recordings, sessions.
type Tree struct {
	Nodes     []Node
	Selection Key
	at        int // where it was found last
	Folded    map[Key]bool
	Opened    map[Key]bool
	Text      string // only what has this text is shown; "" for all
	Hits      int    // recordings and sessions that have it
	Marked    *library.SessionRef
	Top       int
	Height    int

	Stale bool // recordings came or changed
	order []*library.Recording
	apart map[*library.Recording]bool // look like another one
	sg    *term.Glyphs
	name  struct{ of, w, cells int } // the width of names, as it was computed last
	built int                        // counts rebuilds
}

// New is a tree without recordings.
func New() Tree {
	return Tree{Folded: map[Key]bool{}, Opened: map[Key]bool{}, Stale: true}
}

// Rebuild makes the lines anew from the recordings: the live ones in the order
// in which they came, so that none moves, and those of the past latest first.
// It runs with every batch of frames, and does little for each of thousands of
// sessions.
func (t *Tree) Rebuild(recs []*library.Recording, sc *library.Scene) {
	if t.Stale {
		t.sort(recs)
	}
	t.sg = sc.Glyphs
	t.built++
	t.Nodes, t.Hits = t.Nodes[:0], 0
	live, past := 0, 0
	for _, r := range t.order {
		switch {
		case !r.Live:
			past++
		case r.Tap != "http":
			live++
		}
	}
	t.group(LiveGroup, "LIVE", live, func(r *library.Recording) bool { return r.Live && r.Tap != "http" })
	for _, r := range t.order {
		if r.Live && r.Tap == "http" {
			t.addHTTP(r)
		}
	}
	t.group(PastGroup, "RECORDED", past, func(r *library.Recording) bool { return !r.Live })
}

// sort puts the recordings into order and finds those that look the same.
func (t *Tree) sort(recs []*library.Recording) {
	t.Stale = false
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
func (t *Tree) group(kind nodeKind, label safe.Text, n int, belongs func(*library.Recording) bool) {
	if n == 0 {
		return
	}
	key := Key{library.AllSessions, kind, ""}
	at := len(t.Nodes)
	t.Nodes = append(t.Nodes,
		Node{
			Key: key, folds: true, open: !t.Folded[key] || t.Text != "",
			text: label, Count: n, Sess: library.AllSessions,
		})
	if !t.Nodes[at].open {
		return
	}
	shown := 0
	for _, r := range t.order {
		if belongs(r) && t.addRecording(r) {
			shown++
		}
	}
	if t.Text == "" {
		return
	}
	if t.Nodes[at].Count = shown; shown == 0 {
		t.Nodes = t.Nodes[:at]
	}
}

// addHTTP adds a live HTTP tap as a group of its own.
func (t *Tree) addHTTP(r *library.Recording) {
	key := RecordingKey(r.ID)
	own := t.matches(r)
	at := len(t.Nodes)
	t.Nodes = append(t.Nodes,
		Node{
			Key: key, folds: true, open: !t.Folded[key] || t.Text != "" && !own,
			Rec: r.ID, Sess: library.AllSessions, Recording: r,
		})
	shown := 0
	if t.Nodes[at].open {
		if r.Trouble != "" {
			t.infos(1, []safe.Text{r.TroubleText()})
		}
		shown = t.addSessions(r, 1, own)
	}
	if t.Text != "" && !own && shown == 0 {
		t.Nodes = t.Nodes[:at]
	}
}

// addSessions adds the sessions of a recording, the latest first, and what
// belongs to none. With all, what does not match is there too. It returns how
// many it added.
func (t *Tree) addSessions(r *library.Recording, depth int, all bool) int {
	from := len(t.Nodes)
	sessions := r.Tracker.Sessions()
	for i := len(sessions) - 1; i >= 0; i-- {
		if t.Text != "" {
			if t.has(r, sessions[i]) {
				t.Hits++
			} else if !all {
				continue
			}
		}
		key := SessionKey(r.ID, i)
		n := Node{Key: key, depth: depth, folds: true, Rec: r.ID, Sess: i, Recording: r}
		n.open = len(t.Opened) > 0 && t.Opened[key]
		t.Nodes = append(t.Nodes, n)
		if n.open {
			t.infos(depth+1, t.sessionInfos(sessions[i]))
		}
	}
	if n := len(r.Tracker.Loose()); n > 0 && all {
		t.Nodes = append(t.Nodes,
			Node{
				Key: Key{library.NoSession, looseNode, r.ID}, depth: depth, Rec: r.ID,
				Sess: library.NoSession, Recording: r, text: "no session", Count: n,
			})
	}
	return len(t.Nodes) - from
}

// addRecording adds a stdio or past recording; when it has several sessions
// they are lines below it. It says whether there is anything to be seen of it.
func (t *Tree) addRecording(r *library.Recording) bool {
	all := r.Tracker.Sessions()
	own := t.matches(r)
	if !own && len(all) == 1 && t.has(r, all[0]) {
		own = true
		t.Hits++
	}
	at := len(t.Nodes)
	n := Node{Key: RecordingKey(r.ID), depth: 1, folds: true, Rec: r.ID, Sess: library.AllSessions, Recording: r}
	n.open = t.Opened[n.Key] || !own && len(all) > 1
	t.Nodes = append(t.Nodes, n)
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
		t.Nodes = t.Nodes[:at]
		return false
	}
	return true
}

func (t *Tree) infos(depth int, texts []safe.Text) {
	for _, s := range texts {
		if s != "" {
			t.Nodes = append(t.Nodes,
				Node{
					Key: Key{library.AllSessions, infoNode, ""}, depth: depth,
					Info: true, text: s, Sess: library.AllSessions,
				})
		}
	}
}

func (t *Tree) sessionInfos(s *session.Session) []safe.Text {
	rev := safe.Line(string(s.ProtocolVersion))
	if rev == "" {
		rev = "version unknown"
	}
	dot := safe.Text(" · ")
	if t.sg != nil {
		dot = " " + t.sg.Dot + " "
	}
	out := []safe.Text{library.PeerText(s.Client), rev + dot + safe.Int(s.Messages) + " msg"}
	if s.ID == "" && s.Transport != session.TransportStdio {
		out = append(out, safe.Line("by "+s.Why))
	}
	return out
}
