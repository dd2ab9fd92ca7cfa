package ui

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
)

// drawFoot draws the lines at the bottom and returns the column of the cursor
// in the status line; 0 for none.
func (m *Model) drawFoot(screen []string) (cursor int) {
	if r := m.layout.rule; r.H > 0 {
		screen[r.Y] = m.drawRule()
	}
	l := term.NewLine(m.w, &m.glyphs)
	switch {
	case m.entry != nil:
		m.entry.draw(l, m)
		cursor = l.Cursor
	case m.replay.Running() && m.toast.text == "":
		m.replay.DrawProgress(l)
	case m.toast.text != "":
		st := m.theme.Note
		if m.toast.bad {
			st = m.theme.Warn
		}
		l.Gap(1).Put(st, m.toast.text)
	case m.detail.Search.Text != "" && m.focus == paneDetail:
		m.detail.find.draw(l, m)
	case m.tree.Text != "" && m.focus == paneTree:
		l.Gap(1).Put(m.theme.Key, "/").Gap(1).Put(term.Plain, safe.Line(m.tree.Text))
		m.drawTreeHits(l)
	case m.filter.Text() != "":
		m.filter.draw(l, m)
	case m.sourceError != "" && m.layout.rule.H == 0:
		m.drawNews(l.Gap(1), l.Max-1)
	case m.layout.hints.H == 0:
		m.drawHints(l)
	case m.focus == paneDetail && m.detail.Under() >= 0 && m.area() == keymap.Detail:
		m.drawUnder(l)
	default:
		m.drawCounts(l)
	}
	screen[m.layout.status.Y] = l.Finish()
	wrong := m.filter.Wrong() && (m.filter.Writing() || !m.filterHidden())
	if y := m.layout.status.Y - 1; wrong && m.layout.hints.H == 0 && y > 0 {
		screen[y] = m.filter.DrawFaultAbove(&m.scene().Screen)
	}
	if r := m.layout.hints; r.H > 0 {
		h := term.NewLine(m.w, &m.glyphs)
		if wrong {
			m.filter.DrawFault(h, &m.scene().Screen)
		} else {
			m.drawHints(h)
		}
		screen[r.Y] = h.Finish()
	}
	return cursor
}

// drawRule draws the line above the status line. News of trouble stand on it:
// they stay until esc, whatever else is going on.
func (m *Model) drawRule() string {
	l := term.NewLine(m.w, &m.glyphs)
	if m.sourceError != "" {
		l.Put(m.theme.Frame, m.glyphs.H).Gap(1)
		m.drawNews(l, m.w-3)
		return l.Gap(1).Fill(m.theme.Frame, m.glyphs.H, m.w).Finish()
	}
	if m.layout.tree.W > 0 && !m.layout.drawer && len(m.recs) > 0 {
		l.Fill(m.theme.Frame, m.glyphs.H, m.layout.tree.W).Put(m.theme.Frame, m.glyphs.TUp)
	}
	return l.Fill(m.theme.Frame, m.glyphs.H, m.w).Finish()
}

func (m *Model) drawNews(l *term.Line, end int) {
	const esc = "   esc hides this"
	l.PutMax(m.theme.Warn+term.Bold, m.glyphs.Warn+" "+safe.Line(m.sourceError), end-l.Used-len(esc)).Put(m.theme.Dim, esc)
}

// drawCounts sums up the scope in the status line.
func (m *Model) drawCounts(l *term.Line) {
	l.Gap(1)
	r := m.list.Rec
	if m.layout.infoPanel.H > 0 || m.layout.drawer {
		l.Put(m.theme.Dim, term.Count(len(m.recs), "recording"))
		return
	}
	if m.view != nil {
		l.Put(m.theme.Dim, m.view.Told(m))
		return
	}
	if r == nil {
		return
	}
	parts := m.counts(r)
	n := 0
	for _, p := range parts {
		n += term.Width(p.Text)
	}
	if text := r.Comment(m.selectedRow()); text != "" {
		if l.Put(m.theme.Note, "; ").Used+term.Width(safe.Line(text))+n+2 > l.Max {
			parts, n = nil, 0
		}
		l.Put(term.Plain, safe.Line(text))
	} else if about := m.about(); len(about) > 0 {
		if l.Max-l.Used-n < 30 {
			parts, n = nil, 0
		}
		m.drawAbout(l, about, l.Max-n-1)
	} else {
		l.Put(m.theme.Dim, safe.Line(r.Where))
	}
	if l.Used+n+1 > l.Max {
		return
	}
	l.Gap(l.Max - n - l.Used)
	for _, p := range parts {
		l.Put(p.Style, p.Text)
	}
}

// drawAbout says which finding the selected message is evidence of.
func (m *Model) drawAbout(l *term.Line, about []*diagnose.Finding, end int) {
	const explains = " explains"
	more := safe.Text("")
	if n := len(about) - 1; n > 0 {
		more = "  and " + term.Number(n) + " more"
	}
	room := end - len("   !") - len(explains) - term.Width(more) - 2
	for _, s := range m.scene().Headline(m.list.Rec, about[0], m.selectedRow()) {
		l.PutMax(s.Style, s.Text, room-l.Used)
	}
	l.Put(m.theme.Dim, more).Gap(2).Put(m.theme.Key, "!").Put(m.theme.Dim, explains)
}

// counts is what the status line says of the scope: its calls and findings.
func (m *Model) counts(r *library.Recording) []term.Seg {
	all := r.Findings.Total
	if m.list.Session >= 0 {
		all = r.Findings.BySession[m.list.Session]
	}
	var found []term.Seg
	if n := all.Sum(); n > 0 {
		_, st := m.scene().Severity(all.Worst())
		found = append(found, term.S(st, term.Count(n, "finding")+"  "))
	}
	if all[0] > 0 {
		found = append(found, term.S(m.theme.Dim, term.Number(all[0])+" muted  "))
	}
	s := m.list.Current()
	if s == nil {
		return found
	}
	var parts []term.Seg
	for _, p := range []struct {
		n    int
		what safe.Text
		st   term.Style
	}{{s.Pending, " waiting", m.theme.Pend}, {s.Noise, " noise", m.theme.Warn}, {s.Errors, " failed", m.theme.Err}} {
		if p.n > 0 {
			parts = append(parts, term.S(p.st, term.Number(p.n)+p.what+"  "))
		}
	}
	parts = append([]term.Seg{term.S(m.theme.Dim, term.Count(s.Calls, "call")+"  ")}, parts...)
	return append(parts, found...)
}

// drawHints lists the keys that do something here and now. Help and quit are
// always among them.
func (m *Model) drawHints(l *term.Line) {
	if m.entry != nil {
		keys, note := m.entry.hints()
		for _, h := range keys {
			if l.Used+term.Width(h[0])+term.Width(h[1])+3 <= l.Max {
				m.hint(l, h[0], h[1])
			}
		}
		if note != "" && l.Max-l.Used >= 30 {
			l.Gap(2).PutMax(m.theme.Dim, note, l.Max-l.Used)
		}
		return
	}
	if away := m.awayName(); away != "" {
		m.hint(l, "esc", away)
	}
	if p := m.replay.Marked; p != nil && m.focus == paneTree {
		m.hint(l, "d", "compare with "+m.replay.NameOf(*p))
	}
	room := m.w - 1 - len("? help  q quit  ")
	for _, c := range append(m.own(), m.root()...) {
		last := c.ID == "global.help" || c.ID == "global.quit"
		here := last || c.Area() == m.area() || c.Area() == keymap.Everywhere && m.view == nil
		if c.Hint == "" || !here || c.Disabled() != "" {
			continue
		}
		if show := safe.Line(c.Key.Help().Key); last || l.Used+term.Width(show)+term.Width(c.Hint)+3 <= room {
			m.hint(l, show, c.Hint)
		}
	}
}

func (m *Model) hint(l *term.Line, key, what safe.Text) *Model {
	l.Gap(1).Put(m.theme.Key, key).Gap(1).Put(m.theme.Dim, what).Gap(1)
	return m
}
