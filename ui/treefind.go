package ui

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

// findInTree shows only what has a text in the session tree; the empty text
// shows all. The selection goes to the first match when it does not match.
func (m *Model) findInTree(text string) {
	t := &m.tree
	if text == t.find {
		return
	}
	t.find = text
	m.replant()
	t.top = 0
	if text != "" {
		if n := t.selected(); n == nil || !t.hit(n) {
			t.toHit()
		}
	}
	t.reveal()
	m.showNode()
}

// toHit selects the first line that matches.
func (t *tree) toHit() {
	for i := range t.nodes {
		if t.hit(&t.nodes[i]) {
			t.to(i)
			return
		}
	}
}

// hit says whether a line itself has the text.
func (t *tree) hit(n *node) bool {
	switch {
	case n.of == nil:
		return false
	case n.key.kind == recNode:
		all := n.of.Tracker.Sessions()
		return hasText(t.find, textsOf(n.of)...) || len(all) == 1 && t.has(n.of, all[0])
	}
	s := n.of.Session(n.sess)
	return s != nil && t.has(n.of, s)
}

// matches says whether a recording has the text, and counts it.
func (t *tree) matches(r *library.Recording) bool {
	if t.find == "" {
		return true
	}
	if hasText(t.find, textsOf(r)...) {
		t.hits++
		return true
	}
	return false
}

func textsOf(r *library.Recording) []string {
	return []string{string(r.Name()), r.Label, r.ID, r.Where, r.Tap}
}

// has says whether a session has the text.
func (t *tree) has(r *library.Recording, s *session.Session) bool {
	return t.find == "" || hasText(t.find, s.ID, s.Client.Name, s.Client.Title, s.Client.Version, s.Server.Name, s.Server.Title,
		s.Endpoint, string(s.ProtocolVersion), r.CalledSession(s))
}

// hasText says whether all words of want are in one or another of the texts,
// whatever their case.
func hasText(want string, texts ...string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(want)) {
		found := false
		for _, s := range texts {
			if found = query.Contains(s, word); found {
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// drawTreeHits says at the right of the line how much matches.
func (m *Model) drawTreeHits(l *term.Line) {
	t := &m.tree
	if t.find == "" {
		return
	}
	text := term.Number(t.hits) + " found   "
	esc := safe.Text("esc clears ")
	if m.asking.what == askTree {
		esc = "enter keeps, esc undoes "
	}
	if n := term.Width(text) + term.Width(esc); l.Used+n+2 <= l.Max {
		l.Gap(l.Max-n-l.Used).Put(term.Plain, text).Put(m.th.Dim, esc)
	}
}
