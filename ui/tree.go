package ui

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// drawInfoPanel says in words what the selected line of the session tree stands
// for, and what can be done about it.
func (m *Model) drawInfoPanel(sc *library.Scene) []string {
	r := m.layout.infoPanel
	if r.H == 0 {
		return nil
	}
	in := m.layout.inside(r)
	c := m.describeChoice(sc, in.W-4, r.H > infoPanelHeight)
	out := c.doc.Draw(&sc.Screen, in.W, 2, 0, in.H)
	p := term.Panel{Name: []term.Seg{term.S(m.theme.Title, c.name)}, State: c.hint}
	return p.Draw(&sc.Screen, r.W, r.H, out)
}

// choice is the words about one line of the session tree.
type choice struct {
	name safe.Text
	hint []term.Seg // what to press, for the title
	doc  document.Doc
}

func (m *Model) describeChoice(sc *library.Scene, w int, large bool) choice {
	n, r := m.tree.Selected(), m.list.Rec
	if n != nil && m.layout.tree.W > 0 {
		r = m.rec(n.Rec)
	}
	c := choice{name: "Recording", doc: document.Doc{Width: w}}
	switch {
	case r == nil && n == nil:
		c.doc.Text(term.Plain, "Choose a session.")
	case r == nil:
		c.name = "Group"
		c.doc.Text(term.Plain, m.tree.GroupHint())
	case r.Live && !r.Loaded():
		c.name = "Waiting"
		url := ""
		if m.ownTap(r) {
			url = m.opts.Hints.HTTPURL
			c.hint = []term.Seg{term.S(m.theme.Key, "y "), term.S(m.theme.Dim, "copies the URL")}
		}
		detail.WriteWaiting(&c.doc, sc.Theme, r, url, m.opts.Hints.Upstream)
	case n != nil && r.Session(n.Sess) != nil:
		c.name, c.hint = "Session", m.pressEnter("shows its messages")
		detail.WriteSession(&c.doc, sc, r, r.Session(n.Sess))
	default:
		c.hint = m.pressEnter("shows its messages")
		if r.Broken() {
			c.hint = []term.Seg{term.S(m.theme.Warn, "this recording cannot be opened")}
		} else if !r.Opened {
			c.hint = m.pressEnter("opens this recording")
		}
		if large {
			c.doc.Text(term.Bold, r.Name())
			c.doc.Blank()
		}
		detail.WriteRecording(&c.doc, sc, r)
		if large {
			c.doc.Blank()
			c.doc.Add(c.hint...)
			c.hint = nil
		}
	}
	return c
}

func (m *Model) pressEnter(what safe.Text) []term.Seg {
	return []term.Seg{term.S(m.theme.Key, "enter "), term.S(m.theme.Dim, what)}
}

// ownTap says whether a live recording comes from the HTTP tap of this process.
func (m *Model) ownTap(r *library.Recording) bool {
	listen, _, _ := strings.Cut(r.Where, " → ")
	return r.Live && r.Tap == "http" && listen != "" && strings.Contains(m.opts.Hints.HTTPURL, listen)
}

// findInTree shows only what has a text in the session tree; the empty text
// shows all. The selection goes to the first match when it does not match.
func (m *Model) findInTree(text string) {
	t := &m.tree
	if text == t.Text {
		return
	}
	t.Text = text
	m.rebuildTree()
	t.Top = 0
	if text != "" {
		if n := t.Selected(); n == nil || !t.Hit(n) {
			t.SelectHit()
		}
	}
	t.Reveal()
	m.showNode()
}
