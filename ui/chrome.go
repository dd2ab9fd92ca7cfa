package ui

import (
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/sessions"
	"midwire/ui/term"
	"midwire/ui/view"
)

// drawHeader draws the first line: where we are at the left, how the recording
// does at the right.
func (m *Model) drawHeader() string {
	l := term.NewLine(m.w, &m.glyphs).On(m.theme.Header)
	r := m.list.Rec
	title := m.glyphs.Logo + " " + safe.Line(m.opts.Title)
	room := m.w - term.Width(title) - 5
	var crumbs []safe.Text
	if r != nil || m.view != nil {
		crumbs = m.crumbs()
		room -= min(term.CrumbsWidth(&m.glyphs, crumbs), m.w/2)
	}
	right := term.Fitting(append(m.gate.Badges(m.Scene()), m.headState(r)...), room)
	end := m.w - term.SegsWidth(right) - 2
	l.Gap(1).PutMax(m.theme.Key, title, end-l.Used)
	if r == nil && m.view == nil {
		l.Gap(1).PutMax(m.theme.Dim, safe.Line(m.opts.Version), end-l.Used)
	}
	if crumbs != nil {
		l.Gap(2).Crumbs(&m.theme, crumbs, end)
	}
	return l.Gap(end + 1 - l.Used).Segs(right).Finish()
}

func (m *Model) crumbs() []safe.Text {
	if v, ok := m.view.(view.Crumbed); ok {
		return v.Crumbs(m.Scene())
	}
	out := sessions.Whereabouts(m.list.Scope)
	if m.view != nil {
		return append(out, m.view.Name())
	}
	if term.Narrow(m.w) || m.layout.InfoPanel.H > 0 {
		return out
	}
	switch {
	case m.layoutOptions.Full:
		out = append(out, m.selectionName())
	default:
		out = append(out, "messages")
	}
	return out
}

// roomyHeader is the width from which the header has room for everything.
const roomyHeader = 140

func (m *Model) headState(r *library.Recording) []term.Seg {
	if m.view != nil && m.view.Area() != keymap.Gate {
		return m.view.State(m)
	}
	if r == nil {
		if len(m.live()) > 0 {
			return []term.Seg{term.S(m.theme.Dim, "waiting "), term.S(m.theme.Ok, m.glyphs.Live)}
		}
		return []term.Seg{term.S(m.theme.Dim, "waiting "), term.S(m.theme.Dim, m.glyphs.Ended)}
	}
	var out []term.Seg
	gap := term.S(term.Plain, "   ")
	if r.Trouble != "" {
		text := m.glyphs.Warn + " " + term.Shorten(r.TroubleText(), m.w/3, &m.glyphs)
		out = append(out, term.Spare(4, term.S(m.theme.Warn, text), gap)...)
	}
	msgs, errs, found := m.totals(r)
	text := term.Number(msgs) + " msg"
	if !r.Loaded() && !r.Live {
		text = term.Size(r.Size)
	}
	badge := m.theme.Badge
	if m.gate.Shows() && m.w < roomyHeader { // what is held is what must be seen
		badge = func(st term.Style, text safe.Text) term.Seg { return term.S(st, " "+text+" ") }
	} else {
		if r.Live {
			out = append(out, term.Spare(3, term.S(m.theme.Err, m.glyphs.Rec), term.S(m.theme.Dim, " REC "))...)
		}
		out = append(out, term.Spare(2, term.S(term.Plain, text), gap)...)
	}
	out = append(out, m.badges(badge, errs, found)...)
	out = append(out, term.S(term.Plain, "  "))
	sc := m.Scene()
	out = append(out, sc.Pace(r, m.list.Follow)...)
	if r.Live && m.list.Follow && !m.frozen {
		out = append(out, m.rate.Draw(&sc.Screen)...)
	}
	return out
}

// badges say what failed and what was found.
func (m *Model) badges(badge func(term.Style, safe.Text) term.Seg, errs int, found library.Tally) (out []term.Seg) {
	if errs > 0 {
		out = append(out, badge(m.theme.Err, term.Number(errs)+" failed"), term.S(term.Plain, " "))
	}
	if n := found.Sum(); n > 0 {
		_, st := m.Scene().Severity(found.Worst())
		out = append(out, term.Spare(1, badge(st, term.Count(n, "finding")), term.S(term.Plain, " "))...)
	}
	return out
}

// totals count what is shown: the messages of a session, or of the recording, what
// of them failed and what was found.
func (m *Model) totals(r *library.Recording) (msgs, errs int, found library.Tally) {
	if s := r.Session(m.list.Session); s != nil {
		return s.Messages, s.Errors, r.Findings.BySession[s.Index]
	}
	msgs, errs, _ = r.Total()
	return msgs, errs, r.Findings.Total
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
