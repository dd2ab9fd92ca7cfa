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

func (m *Model) crumbs(r *recording) []safe.Text {
	out := []safe.Text{r.name()}
	if s := r.session(m.list.session); s != nil && len(r.t.Sessions()) > 1 {
		switch {
		case s.ID != "":
			out = append(out, shortID(s.ID, &m.sg))
		case s.Client.Name != "":
			out = append(out, peerText(s.Client))
		default:
			out = append(out, "stateless")
		}
	}
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

// drawFoot draws the lines at the bottom and returns the column of the cursor
// in the status line; -1 for none.
func (m *Model) drawFoot(screen []string) int {
	cursor := -1
	if r := m.lay.rule; r.h > 0 {
		screen[r.y] = m.drawRule()
	}
	l := newLine(m.w, &m.sg)
	switch {
	case m.filter.editing:
		cursor = m.filter.draw(l, m)
		m.matches(l)
	case m.detail.find.editing:
		cursor = m.detail.find.draw(l, m)
	case m.toast.text != "":
		st := m.th.note
		if m.toast.bad {
			st = m.th.warn
		}
		l.gap(1).put(st, m.toast.text)
	case m.detail.find.text != "" && m.focus == paneDetail:
		m.detail.find.draw(l, m)
	case m.filter.input.Value() != "":
		m.filter.draw(l, m)
		m.matches(l)
	case m.news != "" && m.lay.rule.h == 0:
		m.drawNews(l.gap(1), l.max-1)
	case m.lay.hints.h == 0:
		m.drawHints(l)
	default:
		m.drawCounts(l)
	}
	screen[m.lay.status.y] = l.finish()
	if r := m.lay.hints; r.h > 0 {
		h := newLine(m.w, &m.sg)
		m.drawHints(h)
		screen[r.y] = h.finish()
	}
	return cursor
}

// drawRule draws the line above the status line. News of trouble stand on it:
// they stay until esc, whatever else is going on.
func (m *Model) drawRule() string {
	l := newLine(m.w, &m.sg)
	if m.news != "" {
		l.put(m.th.frame, safe.Text(m.sg.h)).gap(1)
		m.drawNews(l, m.w-3)
		return l.gap(1).fill(m.th.frame, m.sg.h, m.w).finish()
	}
	if m.lay.tree.w > 0 && !m.lay.drawer && len(m.recs) > 0 {
		l.fill(m.th.frame, m.sg.h, m.lay.tree.w).put(m.th.frame, safe.Text(m.sg.tUp))
	}
	return l.fill(m.th.frame, m.sg.h, m.w).finish()
}

func (m *Model) drawNews(l *line, end int) {
	const esc = "   esc hides this"
	l.putMax(m.th.warn+bold, safe.Text(m.sg.warn+" ")+safe.Line(m.news), end-l.w-len(esc)).put(m.th.dim, esc)
}

// matches says at the right of the status line how many rows pass the filter.
func (m *Model) matches(l *line) {
	t := number(len(m.list.vis)) + " of " + number(m.list.total()) + " match   "
	if m.list.searching() {
		t += m.list.searched() + "   "
	}
	esc := safe.Text("esc clears ")
	if m.filter.editing {
		esc = "enter keeps, esc undoes "
	}
	if l.w+width(t)+width(esc)+2 > l.max {
		esc = ""
	}
	if l.w+width(t)+2 > l.max {
		return
	}
	l.gap(l.max-width(t)-width(esc)-l.w).put(plain, t).put(m.th.dim, esc)
}

// drawCounts sums up the scope in the status line.
func (m *Model) drawCounts(l *line) {
	l.gap(1)
	r := m.list.rec
	if m.lay.card.h > 0 || m.lay.drawer {
		l.put(m.th.dim, count(len(m.recs), "recording"))
		return
	}
	if r == nil {
		return
	}
	l.put(m.th.dim, safe.Line(r.Where))
	s := m.list.current()
	if s == nil {
		return
	}
	var parts []seg
	for _, p := range []struct {
		n    int
		what safe.Text
		st   style
	}{{s.Pending, " waiting", m.th.pend}, {s.Noise, " noise", m.th.warn}, {s.Errors, " failed", m.th.err}} {
		if p.n > 0 {
			parts = append(parts, seg{p.st, number(p.n) + p.what + "  "})
		}
	}
	parts = append([]seg{{m.th.dim, count(s.Calls, "call") + "  "}}, parts...)
	n := 0
	for _, p := range parts {
		n += width(p.t)
	}
	if l.w+n+1 > l.max {
		return
	}
	l.gap(l.max - n - l.w)
	for _, p := range parts {
		l.put(p.st, p.t)
	}
}

// drawHints lists the keys that do something here and now. Help and quit are
// always among them.
func (m *Model) drawHints(l *line) {
	if m.filter.editing {
		m.hint(l, "enter", "keep").hint(l, "esc", "undo").hint(l, "up", "earlier filters")
		l.gap(2).put(m.th.dim, "is:error  tool:search  lat>500ms  !method:ping  words")
		return
	}
	if m.detail.find.editing {
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		return
	}
	in := m.area()
	room := m.w - 1 - len("? help  q quit  ")
	for _, b := range m.keys.all {
		last := b.do == actHelp || b.do == actQuit
		if b.hint == "" || b.in != in && b.in != everywhere || !m.useful(b) {
			continue
		}
		if last || l.w+width(b.show)+width(b.hint)+3 <= room {
			m.hint(l, b.show, b.hint)
		}
	}
}

func (m *Model) hint(l *line, key, what safe.Text) *Model {
	l.gap(1).put(m.th.key, key).gap(1).put(m.th.dim, what).gap(1)
	return m
}

// useful says whether a key would do anything at the moment.
func (m *Model) useful(b binding) bool {
	empty := len(m.recs) == 0
	switch b.do {
	case actQuit, actHelp:
		return true
	case actFollow, actFrames, actTime, actFlow, actFilter, actDrawer:
		if m.lay.drawer || m.chosen.card && b.do != actDrawer {
			return false
		}
	}
	return m.usefulThere(b, empty)
}

// usefulThere is the part of useful that depends on what is shown.
func (m *Model) usefulThere(b binding, empty bool) bool {
	switch b.do {
	case actCopyConfig:
		return m.opts.Hints.Config+m.opts.Hints.HTTPURL != ""
	case actDrawer:
		return !empty && m.lay.w < treeBeside
	case actNextPane:
		return !empty && len(m.panes()) > 1
	case actFollow:
		return m.list.rec != nil && m.list.rec.Live
	case actFlow:
		return m.sameFlow() && m.w >= 100
	case actFind, actWrap:
		_, ok := m.list.selected()
		return ok && m.detail.tab != tabSummary || b.do == actFind && ok
	case actCopy, actFrames, actTime:
		_, ok := m.list.selected()
		return ok || b.do == actCopy && m.lay.card.h > 0 && m.list.rec != nil && m.ownTap(m.list.rec)
	case actOpen:
		_, ok := m.list.selected()
		return ok || m.focus == paneTree
	case actFilter:
		return m.list.rec != nil
	}
	return !empty
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
