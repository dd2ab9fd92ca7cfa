package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
)

// draw renders the whole screen: exactly h lines of exactly w cells.
func (m *Model) draw() (string, *tea.Cursor) {
	if m.w <= 0 || m.h <= 0 {
		return "", nil
	}
	if m.layout.Tiny {
		return view.TooSmall(m.Scene(), m.w, m.h), nil
	}
	sc := m.Scene()
	screen := make([]string, m.h)
	screen[0] = m.part("the header", sc, m.w, 1, func() []string { return []string{m.drawHeader()} })[0]
	if len(m.recs) == 0 {
		m.guard.Do("the first screen", func() { m.drawEmpty(screen) })
	} else {
		m.drawBody(screen, sc)
	}
	var cursor *tea.Cursor
	x, y := m.drawFoot(screen), m.layout.Status.Y
	screen = m.drawDialog(screen)
	if e, ok := m.active().(boxEntry); ok {
		x, y = m.dialog.at.X+1+e.Cursor(), m.dialog.at.Y+1
		if e, ok := e.(interface{ CursorLine() int }); ok {
			y += e.CursorLine()
		}
	} else if m.dialog.kind != noDialog {
		x = 0
	}
	if x > 0 {
		cursor = tea.NewCursor(x, y)
	}
	return strings.Join(screen, "\n"), cursor
}

// drawBody draws the panes and puts them beside and over each other.
func (m *Model) drawBody(screen []string, sc *library.Scene) {
	switch {
	case m.view != nil:
		r := m.layout.View
		copy(screen[1:], m.part(m.view.Name(), sc, r.W, r.H, func() []string { return m.view.Draw(m, sc, r.W, r.H) }))
	default:
		copy(screen[1:], m.drawRight(sc))
	}
}

func (m *Model) drawRight(sc *library.Scene) []string {
	if m.layout.InfoPanel.H > 0 {
		return m.drawInfoPanel(sc)
	}
	r := m.layout.Lifecycle
	out := m.part("the life cycle", sc, r.W, r.H, func() []string {
		return m.strip.Draw(sc, m.list.Scope, r.W, r.H, m.list.Chosen())
	})
	l, d := m.layout.List, m.layout.Detail
	list := m.part("the list", sc, l.W, l.H, func() []string { return m.drawList(sc) })
	detail := m.part("the detail pane", sc, d.W, d.H, func() []string { return m.drawDetail(sc) })
	if m.layout.Beside() {
		list = term.Beside(list, detail)
		return append(out, list...)
	}
	return append(append(out, list...), detail...)
}

func (m *Model) panel(name safe.Text, of pane, state ...term.Seg) *term.Panel {
	p := m.theme.Panel(name, state...)
	p.Focus = m.focus == of
	return p
}

func (m *Model) drawList(sc *library.Scene) []string {
	r := m.layout.List
	if r.W == 0 || r.H == 0 {
		return nil
	}
	look := m.listLook()
	p := m.panel("Messages", paneList, m.list.State(sc, look)...)
	return p.Draw(&sc.Screen, r.W, r.H, m.list.Draw(sc, look, m.layout.Rows()))
}

func (m *Model) listLook() *messages.Look {
	return &messages.Look{
		Width: m.layout.ListWidth(), Headings: m.layout.Columns, Focus: m.focus == paneList, Above: m.layout.Above,
		Filter: m.filter.Text(), Slots: m.strip.Slots,
	}
}

func (m *Model) drawDetail(sc *library.Scene) []string {
	r := m.layout.Detail
	if r.W == 0 {
		return nil
	}
	in := m.layout.Inside(r)
	p := m.panel(m.detailTitle(), paneDetail, m.tabs()...)
	if _, ok := m.list.Selected(); !ok {
		return p.Draw(&sc.Screen, r.W, r.H, nil)
	}
	d, k := m.detail.Message, &m.detail.Shown
	if d != nil && d.Rec == k.Rec && d.ID == int(k.ID) {
		p.Name = d.Title(sc, m.list.Sessions() > 1)
		if a := m.detail.Account(); a != nil {
			p.Name = append(append(a.Title(sc), term.S(term.Plain, "   ")), term.Spare(1, p.Name...)...)
			p.State = []term.Seg{term.S(m.theme.Dim, safe.Line(a.Verdict.Rule))}
		}
	}
	m.detail.Focus = m.focus == paneDetail
	if m.detail.Shown.Page {
		return m.detail.DrawPage(sc, r, m.tabs(), m.underCursor)
	}
	if foot := m.underCursor(in.W - 6); m.detail.Focus && m.layout.Boxed && len(foot) > 0 {
		p.Foot = foot
	} else if text := m.comment(); text != "" {
		p.Foot = []term.Seg{
			term.S(m.theme.Note, "; "), term.S(term.Plain, term.Shorten(safe.Line(text), in.W-8, &m.glyphs)),
		}
	}
	body := m.detail.Draw(in.W, in.H, &sc.Screen)
	if m.detail.Shown.Card {
		body = m.detail.DrawCard(sc, in.W, in.H)
	}
	return p.Draw(&sc.Screen, r.W, r.H, body)
}

func (m *Model) detailTitle() safe.Text {
	if _, ok := m.list.Selected(); !ok {
		return "Detail"
	}
	return m.selectionName()
}

// selectionName names the selected row in a few words.
func (m *Model) selectionName() safe.Text {
	id, ok := m.list.Selected()
	if !ok {
		return "detail"
	}
	rec := m.list.Rec
	row := rec.Tracker.Row(int(id))
	return "#" + safe.Int(int(row.Request)) + " " + safe.Line(library.ShortMethod(row, rec.Tracker.Name(row.Name)))
}

// tabs are the names of the tabs of the detail pane, the one that is shown in
// brackets.
func (m *Model) tabs() (out []term.Seg) {
	for t := range detail.TabCount {
		if t == m.detail.Tab {
			out = append(out, term.S(m.theme.Key, "["+detail.TabNames[t]+"]"))
		} else {
			out = append(out, term.S(m.theme.Dim, " "+detail.TabNames[t]+" "))
		}
	}
	return out
}

// tabSpans says at which columns of the detail pane the tabs stand.
func (m *Model) tabSpans() (out [][2]int) {
	tabs := m.tabs()
	x := m.layout.Detail.W - 3 - term.SegsWidth(tabs)
	for _, t := range tabs {
		out = append(out, [2]int{x, x + term.Width(t.Text)})
		x += term.Width(t.Text)
	}
	return out
}

// drawInfoPanel says in words what is shown as long as it has no messages.
func (m *Model) drawInfoPanel(sc *library.Scene) []string {
	r, rec := m.layout.InfoPanel, m.list.Rec
	if r.H == 0 || rec == nil {
		return nil
	}
	in := m.layout.Inside(r)
	p := m.theme.Panel("Waiting")
	if sessions.OwnTap(rec, m.opts.Hints.HTTPURL) {
		p.State = []term.Seg{term.S(m.theme.Key, "y "), term.S(m.theme.Dim, "copies the URL")}
	}
	d := document.Doc{Width: in.W - 4}
	sessions.WriteWaiting(&d, sc, rec, m.opts.Hints.HTTPURL, m.opts.Hints.Upstream)
	return p.Draw(&sc.Screen, r.W, r.H, d.Draw(&sc.Screen, in.W, 2, 0, in.H))
}
