package ui

import (
	"midwire/session/safe"
)

// drawHeader draws the first line: where we are at the left, how the recording
// does at the right.
func (m *Model) drawHeader() string {
	l := newLine(m.w, &m.sg)
	r := m.list.rec
	right := m.headState(r)
	n := 1
	for _, s := range right {
		n += width(s.t)
	}
	end := m.w - n - 1
	l.gap(1)
	if r == nil {
		l.putMax(m.th.title, safe.Line(m.opts.Title), end-l.w)
		if m.opts.Version != "" && m.w >= 60 {
			l.gap(1).putMax(m.th.dim, safe.Line(m.opts.Version), end-l.w)
		}
	} else {
		crumb := safe.Text(" " + m.sg.crumb + " ")
		for i, s := range m.crumbs(r) {
			if i > 0 {
				l.putMax(m.th.dim, crumb, end-l.w)
			}
			l.putMax(m.th.title, s, end-l.w)
		}
	}
	l.gap(m.w - n - l.w)
	for _, s := range right {
		l.put(s.st, s.t)
	}
	return l.finish()
}

// whereabouts names a recording, and the session in it that is shown.
func (m *Model) whereabouts(r *recording) []safe.Text {
	out := []safe.Text{r.name()}
	if s := r.session(m.list.session); s != nil && len(r.t.Sessions()) > 1 {
		name := r.calledSession(s)
		switch {
		case name != "":
			out = append(out, safe.Line(name))
		case s.ID != "":
			out = append(out, shortID(s.ID, &m.sg))
		case s.Client.Name != "":
			out = append(out, peerText(s.Client))
		default:
			out = append(out, "stateless")
		}
	}
	return out
}

func (m *Model) crumbs(r *recording) []safe.Text {
	if m.replay.open {
		return m.replayCrumbs()
	}
	if m.view != nil {
		return append(m.whereabouts(r), m.view.name())
	}
	if m.report.open {
		return m.reportCrumbs()
	}
	out := m.whereabouts(r)
	if m.w < 60 || m.lay.card.h > 0 || m.lay.drawer {
		return out
	}
	switch {
	case m.chosen.full:
		out = append(out, m.selectionName())
	case m.list.frames:
		out = append(out, "frames")
	default:
		out = append(out, "messages")
	}
	return out
}

// headState is what the header says of the recording that is shown.
func (m *Model) headState(r *recording) []seg {
	if m.replay.open {
		return m.replayHead()
	}
	if m.view != nil {
		return m.view.state(m)
	}
	if m.report.open {
		return m.reportState()
	}
	if r == nil {
		if m.live() {
			return []seg{{m.th.dim, "waiting "}, {m.th.ok, safe.Text(m.sg.live)}}
		}
		return []seg{{m.th.dim, "waiting "}, {m.th.dim, safe.Text(m.sg.ended)}}
	}
	var out []seg
	if r.Trouble != "" && m.w >= 60 {
		out = append(out, seg{m.th.warn, safe.Text(m.sg.warn+" ") + cutText(r.trouble(), m.w/3, &m.sg) + "   "})
	}
	msgs, errs, _ := r.total()
	text := number(msgs) + " msg"
	if m.w >= 60 {
		text += " " + size(r.bytes)
	}
	if !r.loaded() && !r.Live {
		text = size(r.Size)
	}
	if r.Live {
		out = append(out, seg{m.th.dim, "REC "}, seg{m.th.err, safe.Text(m.sg.rec + " ")})
	}
	out = append(out, seg{plain, text + "   "})
	if errs > 0 {
		out = append(out, seg{m.th.err, safe.Text("E" + itoa(errs) + "   ")})
	}
	out = append(out, m.scene().tally(r.finds.total, m.w < 80)...)
	switch {
	case m.frozen:
		return append(out, seg{m.th.warn + bold, safe.Text(m.sg.paused + " frozen, p goes on")})
	case !r.Live:
		return append(out, seg{m.th.dim, safe.Text(m.sg.ended + " ended")})
	case !m.list.follow:
		return append(out, seg{m.th.warn, safe.Text(m.sg.paused + " paused")})
	}
	return append(out, seg{m.th.ok, safe.Text(m.sg.live)}, seg{plain, " live"})
}

func cutText(t safe.Text, n int, sg *signs) safe.Text {
	if width(t) <= n {
		return t
	}
	return safe.Text(cut(string(t), n, sg.ellipsis))
}

// drawNothing says why the list is empty and what to do about it.
func (m *Model) drawNothing(w int) []string {
	l := &m.list
	first, second := safe.Text("Nothing was said yet."), safe.Text("")
	switch {
	case l.rec == nil:
		first, second = "Choose a session.", "b or 1 shows the sessions, enter opens one"
	case l.scanned < l.total():
		first = "Filtering."
	case l.searching():
		first, second = "Searching the payloads.", "esc ends it"
	case l.query != nil && l.total() > 0:
		first, second = "No message matches the filter.", "esc clears it"
	case !l.rec.asked:
		first, second = "This recording is not loaded.", "enter in the session tree loads it"
	case !l.rec.loaded() && l.rec.loading >= 1 && !l.rec.Live:
		first = "This recording holds no messages."
	case l.rec.loading > 0 && l.rec.loading < 1 || !l.rec.loaded() && !l.rec.Live:
		first = "Loading."
	case l.rec.Live:
		second = "Messages appear here as soon as the client speaks."
	}
	out := []string{newLine(w, &m.sg).finish(), newLine(w, &m.sg).gap(3).put(plain, first).finish()}
	if second != "" {
		out = append(out, newLine(w, &m.sg).gap(3).put(m.th.dim, second).finish())
	}
	return out
}
