package sessions

import (
	"strings"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

// SelectHit selects the first line that matches.
func (t *Tree) SelectHit() {
	for i := range t.Nodes {
		if t.Hit(&t.Nodes[i]) {
			t.Go(i)
			return
		}
	}
}

// Hit says whether a line itself has the text.
func (t *Tree) Hit(n *Node) bool {
	switch {
	case n.Recording == nil:
		return false
	case n.Key.kind == RecordingNode:
		all := n.Recording.Tracker.Sessions()
		return hasText(t.Text, textsOf(n.Recording)...) || len(all) == 1 && t.has(n.Recording, all[0])
	}
	s := n.Recording.Session(n.Sess)
	return s != nil && t.has(n.Recording, s)
}

const maxTogether = 64 // recordings that are one list

// Listed are all recordings, or those that have the text that is looked for, by
// id; none when there are too many for one list.
func (t *Tree) Listed() (ids []string) {
	if t.Text == "" {
		ids = library.IDs(t.order)
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; t.Text != "" && n.Key.kind == RecordingNode {
			ids = append(ids, n.Rec)
		}
	}
	if len(ids) > maxTogether {
		return nil
	}
	return ids
}

// Together are the recordings that the selected line stands for as one list, by
// id: the heading of those that live, and that of past ones that were found.
func (t *Tree) Together() []string {
	switch n := t.Selected(); {
	case n == nil || !n.open:
	case n.Key.kind == LiveGroup:
		return library.IDs(library.Live(t.order))
	case n.Key.kind == PastGroup && t.Text != "":
		return t.Listed()
	}
	return nil
}

// GroupHint says what enter does on the selected heading.
func (t *Tree) GroupHint() safe.Text {
	if n := len(t.Together()); n > 1 {
		return "enter shows all " + term.Number(n) + " in one list, h folds"
	}
	return term.Number(t.Selected().Count) + " below, enter folds and unfolds"
}

// matches says whether a recording has the text, and counts it.
func (t *Tree) matches(r *library.Recording) bool {
	if t.Text == "" {
		return true
	}
	if hasText(t.Text, textsOf(r)...) {
		t.Hits++
		return true
	}
	return false
}

func textsOf(r *library.Recording) []string {
	return []string{string(r.Name()), r.Label, r.ID, r.Where, r.Tap}
}

// has says whether a session has the text.
func (t *Tree) has(r *library.Recording, s *session.Session) bool {
	return t.Text == "" ||
		hasText(t.Text, s.ID, s.Client.Name, s.Client.Title, s.Client.Version, s.Server.Name, s.Server.Title,
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

// DrawHits says at the right of the line how much matches, and what keys do
// while the text is written.
func (t *Tree) DrawHits(l *term.Line, th *term.Theme, writing bool) {
	if t.Text == "" {
		return
	}
	text, esc := term.Number(t.Hits)+" found   ", safe.Text("esc clears ")
	if writing {
		esc = "enter keeps, esc undoes "
	}
	if n := term.Width(text) + term.Width(esc); l.Used+n+2 <= l.Max {
		l.Gap(l.Max-n-l.Used).Put(term.Plain, text).Put(th.Dim, esc)
	}
}
