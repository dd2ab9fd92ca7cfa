package ui

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawHeader draws the first line: where we are at the left, how the recording
// does at the right.
func (m *Model) drawHeader() string {
	l := term.NewLine(m.w, &m.glyphs)
	r := m.list.Rec
	right := m.headState(r)
	n := 1
	for _, s := range right {
		n += term.Width(s.Text)
	}
	end := m.w - n - 1
	l.Gap(1)
	if r == nil {
		l.PutMax(m.theme.Title, safe.Line(m.opts.Title), end-l.Used)
		if m.opts.Version != "" && m.w >= 60 {
			l.Gap(1).PutMax(m.theme.Dim, safe.Line(m.opts.Version), end-l.Used)
		}
	} else {
		crumb := " " + m.glyphs.Crumb + " "
		for i, s := range m.crumbs(r) {
			if i > 0 {
				l.PutMax(m.theme.Dim, crumb, end-l.Used)
			}
			l.PutMax(m.theme.Title, s, end-l.Used)
		}
	}
	l.Gap(m.w - n - l.Used)
	for _, s := range right {
		l.Put(s.Style, s.Text)
	}
	return l.Finish()
}

func (m *Model) crumbs(r *library.Recording) []safe.Text {
	if v, ok := m.view.(view.Crumbed); ok {
		return v.Crumbs(m.scene())
	}
	out := sessions.Whereabouts(m.scene(), m.list.Scope)
	if m.view != nil {
		return append(out, m.view.Name())
	}
	if m.w < 60 || m.layout.infoPanel.H > 0 || m.layout.drawer {
		return out
	}
	switch {
	case m.layoutOptions.full:
		out = append(out, m.selectionName())
	case m.list.RawFrames:
		out = append(out, "frames")
	default:
		out = append(out, "messages")
	}
	return out
}

// headState is what the header says of the recording that is shown.
func (m *Model) headState(r *library.Recording) []term.Seg {
	if m.view != nil {
		return m.view.State(m)
	}
	if r == nil {
		if len(m.live()) > 0 {
			return []term.Seg{term.S(m.theme.Dim, "waiting "), term.S(m.theme.Ok, m.glyphs.Live)}
		}
		return []term.Seg{term.S(m.theme.Dim, "waiting "), term.S(m.theme.Dim, m.glyphs.Ended)}
	}
	var out []term.Seg
	if r.Trouble != "" && m.w >= 60 {
		out = append(out, term.S(m.theme.Warn, m.glyphs.Warn+" "+term.Shorten(r.TroubleText(), m.w/3, &m.glyphs)+"   "))
	}
	msgs, errs, _ := r.Total()
	text := term.Number(msgs) + " msg"
	if m.w >= 60 {
		text += " " + term.Size(r.Bytes)
	}
	if !r.Loaded() && !r.Live {
		text = term.Size(r.Size)
	}
	if r.Live {
		out = append(out, term.S(m.theme.Dim, "REC "), term.S(m.theme.Err, m.glyphs.Rec+" "))
	}
	out = append(out, term.S(term.Plain, text+"   "))
	if errs > 0 {
		out = append(out, term.S(m.theme.Err, "E"+safe.Int(errs)+"   "))
	}
	out = append(out, m.scene().Tally(r.Findings.Total, m.w < 80)...)
	switch {
	case m.frozen:
		return append(out, term.S(m.theme.Warn+term.Bold, m.glyphs.Paused+" frozen, p goes on"))
	case !r.Live:
		return append(out, term.S(m.theme.Dim, m.glyphs.Ended+" ended"))
	case !m.list.Follow:
		return append(out, term.S(m.theme.Warn, m.glyphs.Paused+" paused"))
	}
	return append(out, term.S(m.theme.Ok, m.glyphs.Live), term.S(term.Plain, " live"))
}

// openFindings shows the findings, or closes them.
func (m *Model) openFindings() {
	p := m.findings
	if m.view == p {
		m.popView()
		return
	}
	about, rec := m.about(), m.list.Rec
	again := m.view == nil && m.history.view() == p && m.backToView()
	if !again {
		m.openView(p)
	}
	p.Show(m, again, about, rec != m.list.Rec)
}
