package ui

import (
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/sessions"
	"midwire/ui/term"
)

// drawInfoPanel says in words what is shown as long as it has no messages.
func (m *Model) drawInfoPanel(sc *library.Scene) []string {
	r, rec := m.layout.infoPanel, m.list.Rec
	if r.H == 0 || rec == nil {
		return nil
	}
	in := m.layout.inside(r)
	p := term.Panel{Name: []term.Seg{term.S(m.theme.Title, "Waiting")}}
	if sessions.OwnTap(rec, m.opts.Hints.HTTPURL) {
		p.State = []term.Seg{term.S(m.theme.Key, "y "), term.S(m.theme.Dim, "copies the URL")}
	}
	d := document.Doc{Width: in.W - 4}
	sessions.WriteWaiting(&d, sc, rec, m.opts.Hints.HTTPURL, m.opts.Hints.Upstream)
	return p.Draw(&sc.Screen, r.W, r.H, d.Draw(&sc.Screen, in.W, 2, 0, in.H))
}
