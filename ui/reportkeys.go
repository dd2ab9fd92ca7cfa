package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
)

// place is where somebody was in the list of messages.
type place struct {
	library.Scope
	frames   bool
	filter   string
	sel, top uint32
	follow   bool
	tree     nodeKey
}

func (m *Model) here() place {
	l := &m.list
	return place{l.Scope, l.frames, m.filter.input.Value(), l.sel, l.top, l.follow, m.tree.sel}
}

// goTo goes back to a place.
func (m *Model) goTo(p place) {
	m.show(p.Scope)
	m.tree.sel = p.tree
	l := &m.list
	if l.frames != p.frames {
		l.reset(l.Scope, p.frames, l.query)
	}
	if m.filter.input.Value() != p.filter {
		m.filter.write(m, p.filter)
	}
	l.sel, l.top, l.follow = p.sel, p.top, p.follow
	if l.follow {
		l.resume()
	}
}

// openReport shows the findings. The one that the selected message is about,
// if there is one, is selected.
func (m *Model) openReport() {
	p := &m.report
	if p.open {
		m.closeReport()
		return
	}
	about, rec := m.about(), m.list.Rec
	if p.away {
		m.comeHome()
	} else {
		p.reach = m.reaches()[0]
	}
	p.open, p.reading = true, false
	m.view, m.awayFrom = nil, nil
	m.filter.done()
	m.detail.find.done()
	fresh := p.sel == entryKey{}
	switch {
	case len(about) > 0:
		if rec != m.list.Rec {
			p.reach = reachAll
		} else if p.reach == reachSession && about[0].Session != m.list.Session {
			p.reach = reachRecording
		}
		p.pick(about[0], m)
	case fresh:
		p.unfoldFirst(m)
	}
	p.rebuild(m)
}

// unfoldFirst shows the evidence of the first rule, so that there is some.
func (p *report) unfoldFirst(m *Model) {
	p.rebuild(m)
	if len(p.entries) > 0 {
		p.sel = p.entries[0].entryKey
		p.opened[p.sel] = true
		p.rebuild(m)
	}
}

// pick selects a finding and unfolds what it stands in.
func (p *report) pick(f *diagnose.Finding, m *Model) {
	rule := entryKey{rule: f.Rule}
	p.opened[rule], p.hidden[f.Severity] = true, false
	p.sel = rule
	p.rebuild(m)
	one := entryKey{f.Rule, f, 0}
	for i := range p.entries {
		if p.entries[i].entryKey == one {
			p.sel = one
			p.opened[one] = true
		}
	}
}

func (m *Model) closeReport() { m.report.open = false }

// comeHome takes the list back to where it was before the report led away.
func (m *Model) comeHome() {
	m.report.away = false
	m.goTo(m.report.home)
	m.replant()
}

// back undoes the step from the report to the messages.
func (m *Model) backToReport() {
	m.comeHome()
	if m.awayFrom != nil {
		m.raise(m.awayFrom)
		m.awayFrom = nil
		return
	}
	m.report.open, m.report.reading = true, false
	m.report.rebuild(m)
}

// leave makes esc come back to the report, or the view, from the messages.
func (m *Model) leave() {
	m.remember()
	p := &m.report
	p.home, p.away, p.open = m.here(), true, false
	m.view, m.awayFrom = nil, m.view
	m.touched = true
}

// awayName is what esc leads back to.
func (m *Model) awayName() safe.Text {
	if m.awayFrom != nil {
		return m.awayFrom.name()
	}
	return "findings"
}

// stay makes the messages the place where one is, when somebody who came from
// the report goes on to something else: esc leads back there no more.
func (m *Model) stay() { m.report.away = false }

// about lists the findings that the selected message is evidence of, those
// that are not muted first.
func (m *Model) about() []*diagnose.Finding {
	i := m.selectedRow()
	if i < 0 {
		return nil
	}
	x := &m.list.Rec.Findings
	fs := x.OfRow(i)
	if loud := x.Loud(fs); len(loud) > 0 {
		return loud
	}
	return fs
}

// holdsInReport says whether an action means anything on the report.
func holdsInReport(a action) bool {
	switch a {
	case actNextPane, actPrevPane, actNextProblem, actPrevProblem:
		return true
	}
	return holdsOnScreens(a)
}

// reportDo carries out what a key means on the report, and says whether it was
// the report's to do.
func (m *Model) reportDo(a action) (cmd tea.Cmd, mine bool) {
	p := &m.report
	switch a {
	case actOpen:
		return m.reportOpen(), true
	case actLeft:
		p.fold(false)
	case actErrors, actWarnings, actNotes:
		at := diagnose.Error + diagnose.Severity(a-actErrors)
		p.hidden[at] = !p.hidden[at]
	case actOrder:
		p.byTime = !p.byTime
	case actReach:
		return m.nextReach(), true
	case actMute:
		return m.mute(), true
	case actExport:
		return m.exportFindings(), true
	case actOnlyThese:
		m.onlyThese()
		return nil, true
	case actCopyReport:
		if e := p.selected(); e != nil {
			return clipboard(m, m.markdown(e.about), "explanation"), true
		}
		return m.complain("there is no finding to copy"), true
	case actNextPane, actPrevPane:
		p.reading = !p.reading && len(p.entries) > 0
	case actNextProblem:
		p.step(1)
	case actPrevProblem:
		p.step(-1)
	case actPaneTree, actPaneList, actPaneDetail, actDrawer:
		m.closeReport()
		return nil, false
	default:
		return nil, !holdsInReport(a)
	}
	p.rebuild(m)
	return nil, true
}

// reportOpen unfolds, or jumps to the message that is evidence.
func (m *Model) reportOpen() tea.Cmd {
	p := &m.report
	e := p.selected()
	switch {
	case e == nil:
		return nil
	case e.n != 0:
		return m.jump(e.about.rec, e.n)
	case p.reading && len(e.about.Frames) > 0:
		return m.jump(e.about.rec, e.about.Frames[0])
	}
	p.fold(!e.open)
	p.rebuild(m)
	return nil
}

func (m *Model) nextReach() tea.Cmd {
	p, all := &m.report, m.reaches()
	next := all[0]
	for i, r := range all {
		if r == p.reach {
			next = all[(i+1)%len(all)]
		}
	}
	if next == p.reach {
		return m.say("these are the findings of all that was read")
	}
	p.reach = next
	p.rebuild(m)
	return nil
}

// mute counts the findings of a rule and shows them no more, or again.
func (m *Model) mute() tea.Cmd {
	p := &m.report
	e := p.selected()
	if e == nil {
		return nil
	}
	id := e.rule.ID
	at := p.index()
	said := safe.Line(id) + " is shown again"
	if p.muted[id] {
		delete(p.muted, id)
	} else {
		p.muted[id] = true
		said = safe.Line(id) + " is muted: counted, and not marked"
		p.opened[entryKey{rule: e.rule}] = false
		p.sel = entryKey{}
	}
	m.review(reviewAll)
	if p.muted[id] {
		p.to(min(at, len(p.entries)-1))
	}
	m.replant()
	return m.say(said)
}

// onlyThese shows nothing but the messages that the rule points at.
func (m *Model) onlyThese() {
	e := m.report.selected()
	if e == nil {
		return
	}
	m.leave()
	sc := library.Scope{Rec: e.about.rec, Session: library.AllSessions}
	if m.report.reach == reachSession && sc.Rec == m.list.Rec {
		sc = m.list.Scope
	}
	m.show(sc)
	m.sproutTree()
	m.rearrange()
	m.list.pause()
	m.filter.write(m, "finding:"+e.rule.ID)
	m.focusPane(paneList)
	if len(e.about.Frames) > 0 {
		m.selectFrame(e.about.Frames[0])
	}
}

// jump shows a frame among the messages.
func (m *Model) jump(r *library.Recording, n uint64) tea.Cmd {
	row := r.RowAt(n)
	m.leave()
	if m.list.Rec != r || row >= 0 && !m.list.inScope(uint32(row)) {
		sc := library.Scope{Rec: r, Session: library.AllSessions}
		if row >= 0 && len(r.Tracker.Sessions()) > 1 && m.list.Session != library.AllSessions {
			sc.Session = int(r.Tracker.Row(row).Session)
		}
		m.show(sc)
	}
	m.sproutTree()
	l := &m.list
	if frames := l.frames || row < 0; frames != l.frames {
		l.reset(l.Scope, frames, l.query)
	}
	if m.hides(n, row) {
		m.filter.write(m, "")
	}
	m.rearrange()
	l.resize(m.lay.rows())
	l.pause()
	m.focusPane(paneList)
	m.selectFrame(n)
	return nil
}

// hides says whether the filter keeps a frame, or its row, from being seen.
func (m *Model) hides(n uint64, row int) bool {
	if m.list.frames {
		return !m.list.shows(uint32(n))
	}
	return !m.list.shows(uint32(row))
}

// selectFrame selects a frame, or its row, and puts it where it can be seen
// well.
func (m *Model) selectFrame(n uint64) {
	l := &m.list
	id := uint32(n)
	if !l.frames {
		row := l.Rec.RowAt(n)
		if row < 0 {
			return
		}
		id = uint32(row)
	}
	l.resize(m.lay.rows())
	l.scan(idsPerScan)
	l.pause()
	if !l.natural() && !l.order.has(id) {
		l.unsort()
	}
	l.sel = id
	i, first := l.index(), l.first()
	switch {
	case l.last < id: // it is still to be looked at
		l.top = id
	case i < first || i >= first+l.height:
		l.top = id
		l.scroll(-l.height / 3)
		l.reveal()
	}
}

// sproutTree selects in the tree what the list shows, and unfolds what it
// stands in.
func (m *Model) sproutTree() {
	r := m.list.Rec
	m.tree.sel = recKey(r.ID)
	m.tree.opened[m.tree.sel], m.tree.folded[m.tree.sel] = true, false
	if m.list.Session >= 0 && len(r.Tracker.Sessions()) > 1 {
		m.tree.sel = sessionKey(r.ID, m.list.Session)
	}
	m.replant()
}
