package ui

import (
	"midwire/session/diagnose"
	"midwire/session/safe"
)

// drawFoot draws the lines at the bottom and returns the column of the cursor
// in the status line; -1 for none.
func (m *Model) drawFoot(screen []string) int {
	cursor := -1
	if r := m.lay.rule; r.h > 0 {
		screen[r.y] = m.drawRule()
	}
	l := newLine(m.w, &m.sg)
	switch {
	case m.asking.what != askNothing:
		cursor = m.drawAsking(l)
	case m.filter.editing:
		cursor = m.filter.draw(l, m)
		m.matches(l)
	case m.detail.find.editing:
		cursor = m.detail.find.draw(l, m)
	case m.replay.running != nil && m.toast.text == "":
		m.drawProgress(l)
	case m.toast.text != "":
		st := m.th.note
		if m.toast.bad {
			st = m.th.warn
		}
		l.gap(1).put(st, m.toast.text)
	case m.detail.find.text != "" && m.focus == paneDetail:
		m.detail.find.draw(l, m)
	case m.tree.find != "" && m.focus == paneTree:
		l.gap(1).put(m.th.key, "/").gap(1).put(plain, safe.Line(m.tree.find))
		m.drawTreeHits(l)
	case m.filter.input.Value() != "":
		m.filter.draw(l, m)
		m.matches(l)
	case m.news != "" && m.lay.rule.h == 0:
		m.drawNews(l.gap(1), l.max-1)
	case m.lay.hints.h == 0:
		m.drawHints(l)
	case m.focus == paneDetail && m.detail.under() >= 0 && m.area() == inDetail:
		m.drawUnder(l)
	default:
		m.drawCounts(l)
	}
	screen[m.lay.status.y] = l.finish()
	m.filter.drawFaultAbove(screen, m)
	if r := m.lay.hints; r.h > 0 {
		h := newLine(m.w, &m.sg)
		if !m.filter.drawFault(h, m) {
			m.drawHints(h)
		}
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
	if m.replay.open {
		l.put(m.th.dim, m.replay.told())
		return
	}
	if m.view != nil {
		l.put(m.th.dim, m.view.told(m))
		return
	}
	if m.report.open {
		l.put(m.th.dim, m.reachText())
		return
	}
	if r == nil {
		return
	}
	parts := m.counts(r)
	n := 0
	for _, p := range parts {
		n += width(p.t)
	}
	if text := r.comment(m.selectedRow()); text != "" {
		if l.put(m.th.note, "; ").w+width(safe.Line(text))+n+2 > l.max {
			parts, n = nil, 0
		}
		l.put(plain, safe.Line(text))
	} else if about := m.about(); len(about) > 0 {
		if l.max-l.w-n < 30 {
			parts, n = nil, 0
		}
		m.drawAbout(l, about, l.max-n-1)
	} else {
		l.put(m.th.dim, safe.Line(r.Where))
	}
	if l.w+n+1 > l.max {
		return
	}
	l.gap(l.max - n - l.w)
	for _, p := range parts {
		l.put(p.st, p.t)
	}
}

// drawAbout says which finding the selected message is evidence of.
func (m *Model) drawAbout(l *line, about []*diagnose.Finding, end int) {
	const explains = " explains"
	more := safe.Text("")
	if n := len(about) - 1; n > 0 {
		more = "  and " + number(n) + " more"
	}
	room := end - len("   !") - len(explains) - width(more) - 2
	for _, s := range m.scene().headline(m.list.rec, about[0], m.selectedRow()) {
		l.putMax(s.st, s.t, room-l.w)
	}
	l.put(m.th.dim, more).gap(2).put(m.th.key, "!").put(m.th.dim, explains)
}

// counts is what the status line says of the scope: its calls and findings.
func (m *Model) counts(r *recording) []seg {
	all := r.finds.total
	if m.list.session >= 0 {
		all = r.finds.session[m.list.session]
	}
	var found []seg
	if n := all.sum(); n > 0 {
		_, st := m.scene().severity(all.worst())
		found = append(found, seg{st, count(n, "finding") + "  "})
	}
	if all[0] > 0 {
		found = append(found, seg{m.th.dim, number(all[0]) + " muted  "})
	}
	s := m.list.current()
	if s == nil {
		return found
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
	return append(parts, found...)
}

// drawHints lists the keys that do something here and now. Help and quit are
// always among them.
func (m *Model) drawHints(l *line) {
	if m.asking.what != askNothing {
		m.hintsOfAsking(l)
		return
	}
	if m.filter.editing {
		m.filter.hints(l, m)
		return
	}
	if m.detail.find.editing {
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		return
	}
	if m.report.away {
		m.hint(l, "esc", m.awayName())
	}
	if p := m.replay.marked; p != nil && m.focus == paneTree {
		m.hint(l, "d", "compare with "+m.refName(*p))
	}
	in := m.area()
	room := m.w - 1 - len("? help  q quit  ")
	for _, b := range m.keys.all {
		last := b.do == actHelp || b.do == actQuit
		if b.hint == "" || b.in != in && b.in != everywhere || !m.useful(b) || b.in != in && (in == inReport || in == inReplay || in == inDiff || m.view != nil) && !last {
			continue
		}
		if word := m.hintOf(b); last || l.w+width(b.show)+width(word)+3 <= room {
			m.hint(l, b.show, word)
		}
	}
}

func (m *Model) hint(l *line, key, what safe.Text) *Model {
	l.gap(1).put(m.th.key, key).gap(1).put(m.th.dim, what).gap(1)
	return m
}

// hintOf is the word for a key as things stand.
func (m *Model) hintOf(b binding) safe.Text {
	switch {
	case b.do == actFollow && m.list.follow:
		return "pause"
	case b.do == actFrames && b.in == everywhere && m.list.frames:
		return "exchanges"
	case b.do == actNextPane && b.in == inReport && m.report.reading:
		return "list"
	case b.do == actWrap && m.detail.wide:
		return "break"
	}
	return b.hint
}

// useful says whether a key would do anything at the moment.
func (m *Model) useful(b binding) bool {
	empty := len(m.recs) == 0
	switch b.do {
	case actQuit, actHelp:
		return true
	case actFindings:
		return !m.report.away && m.list.rec != nil && m.list.rec.finds.total.sum() > 0
	case actFollow, actFrames, actTime, actFlow, actFilter, actDrawer:
		if m.lay.drawer || m.chosen.card && b.do != actDrawer {
			return false
		}
	}
	return m.usefulThere(b, empty)
}

// usefulThere is the part of useful that depends on what is shown.
func (m *Model) usefulThere(b binding, empty bool) bool {
	if m.replay.open {
		return m.usefulInReplay(b)
	}
	if m.view != nil && b.in == m.view.area() {
		return m.view.useful(m, b)
	}
	switch b.do {
	case actReplay:
		return m.opts.Replayer != nil && m.list.rec != nil && m.w >= 80
	case actCopyConfig:
		return m.opts.Hints.Config+m.opts.Hints.HTTPURL != ""
	case actDrawer:
		return !empty && m.lay.w < treeBeside
	case actNextPane:
		return !empty && (len(m.panes()) > 1 || m.report.selected() != nil)
	case actErrors, actWarnings, actNotes, actOrder:
		return m.w >= 80 && m.report.shown != (tally{})
	case actOnlyThese, actMute, actCopyReport:
		return m.report.selected() != nil
	case actReach:
		return len(m.reaches()) > 1
	case actName, actDelete, actFindNode:
		return m.usefulInTree(b.do)
	case actFollow:
		return m.list.rec != nil && m.list.rec.Live
	case actFlow:
		return m.sameFlow() && m.w >= 100
	case actExport:
		return m.opts.Exporter != nil && (m.report.selected() != nil || !m.report.open && m.w >= 100)
	case actFold, actForm, actHex:
		return m.usefulInDetail(b.do)
	case actFind, actWrap:
		_, ok := m.list.selected()
		return ok && !m.detail.tab.words() || b.do == actFind && ok
	case actCopy, actFrames, actTime:
		_, ok := m.list.selected()
		return ok || b.do == actCopy && m.lay.card.h > 0 && m.list.rec != nil && m.ownTap(m.list.rec)
	case actOpen:
		if m.report.open {
			return m.report.selected() != nil
		}
		_, ok := m.list.selected()
		return ok || m.focus == paneTree
	case actFilter:
		return m.list.rec != nil
	}
	return !empty
}
