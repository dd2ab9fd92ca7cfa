package ui

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

// findInTree shows only what has a text in the session tree; the empty text
// shows all. The selection goes to the first match when it does not match.
func (m *Model) findInTree(text string) {
	t := &m.tree
	if text == t.Text {
		return
	}
	t.Text = text
	m.replant()
	t.Top = 0
	if text != "" {
		if n := t.Selected(); n == nil || !t.Hit(n) {
			t.SelectHit()
		}
	}
	t.Reveal()
	m.showNode()
}

// drawTreeHits says at the right of the line how much matches.
func (m *Model) drawTreeHits(l *term.Line) {
	t := &m.tree
	if t.Text == "" {
		return
	}
	text := term.Number(t.Hits) + " found   "
	esc := safe.Text("esc clears ")
	if m.entry != nil {
		esc = "enter keeps, esc undoes "
	}
	if n := term.Width(text) + term.Width(esc); l.Used+n+2 <= l.Max {
		l.Gap(l.Max-n-l.Used).Put(term.Plain, text).Put(m.th.Dim, esc)
	}
}
