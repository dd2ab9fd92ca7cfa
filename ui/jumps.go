package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/view"
	"midwire/ui/view/search"
)

// about lists the findings that the selected message is evidence of.
func (m *Model) about() []*diagnose.Finding {
	i := m.selectedRow()
	if i < 0 {
		return nil
	}
	return m.list.Rec.Findings.OfRow(i)
}

// jump shows a frame among the messages.
func (m *Model) Jump(r *library.Recording, n uint64) tea.Cmd {
	row := r.RowNear(n)
	m.pushHere()
	if m.list.Rec != r || row >= 0 && !m.list.InScope(uint32(row)) {
		sc := library.Scope{Rec: r, Session: library.AllSessions}
		if row >= 0 && len(r.Tracker.Sessions()) > 1 && m.list.Session != library.AllSessions {
			sc.Session = int(r.Tracker.Row(row).Session)
		}
		m.show(sc)
	}
	l := &m.list
	if row >= 0 && !l.Shows(uint32(row)) {
		m.keepOnly("")
	}
	m.rearrange()
	l.Resize(m.layout.Rows())
	l.Pause()
	m.focusPane(paneList)
	m.selectFrame(n)
	return nil
}

// askSearch asks for a text to look for in all recordings.
func (m *Model) askSearch(text string) tea.Cmd {
	return (&prompt{what: promptSearch, name: "in all recordings"}).begin(m, text)
}

// search shows where a text stands, in all recordings.
func (m *Model) search(text string) {
	src, ok := m.src.(search.Source)
	if text = strings.TrimSpace(text); text == "" || !ok {
		return
	}
	if m.view != nil && m.view.Area() == keymap.Search {
		m.view.(view.Backer).Back()
		m.popView()
	}
	m.openView(search.New(m.ctx, src, text, m.recs))
}

func (m *Model) whyNotSearch() safe.Text {
	_, ok := m.src.(search.Source)
	return keymap.Unless(ok && len(m.recs) > 0, "there is no recording to look through")()
}

// showOnly shows the messages of a scope that a filter keeps, a frame among them
// selected; esc comes back.
func (m *Model) showOnly(these view.ShowOnly) {
	m.pushHere()
	m.show(these.Scope)
	m.rearrange()
	m.list.Pause()
	m.keepOnly(these.Filter)
	m.focusPane(paneList)
	if these.Frame != 0 {
		m.selectFrame(these.Frame)
	}
}

// selectFrame selects a frame, or its row, and puts it where it can be seen
// well.
func (m *Model) selectFrame(n uint64) {
	l := &m.list
	row := l.Rec.RowNear(n)
	if row < 0 {
		return
	}
	id := uint32(row)
	l.Resize(m.layout.Rows())
	l.Scan(idsPerScan)
	l.Pause()
	if l.Order.On && !l.Order.Has(id) {
		l.OrderByTime()
	}
	l.Pick(id)
	i, first := l.SelectedLine(), l.FirstIndex()
	switch {
	case l.Last < id: // it is still to be looked at
		l.Top = id
	case i < first || i >= first+l.Height:
		l.Top = id
		l.Scroll(-l.Height / 3)
		l.Reveal()
	}
}

// toOther goes from a call to what belongs to it, one after another, and back to the call.
func (m *Model) toOther() tea.Cmd {
	l := &m.list
	id, ok := l.Selected()
	if !ok {
		return nil
	}
	row := l.Rec.Relative(int(id))
	if row < 0 {
		return m.Complain("nothing else belongs to this message")
	}
	m.remember()
	if !l.Shows(uint32(row)) {
		m.keepOnly("")
	}
	m.selectFrame(uint64(l.Rec.Tracker.Row(row).Request))
	return nil
}

// leg is where the selected message is on the other side of a hub.
func (m *Model) leg() library.Leg {
	if i := m.selectedRow(); i >= 0 {
		return library.LegOf(m.recs, m.list.Rec, i)
	}
	return library.Leg{}
}

func (m *Model) sided() bool {
	r := m.list.Rec
	return r != nil && r.Side != ""
}

// toLeg goes there, and back, on the pane that has the focus.
func (m *Model) toLeg() tea.Cmd {
	leg := m.leg()
	if leg.Rec == nil {
		return m.Complain("this message is in no other recording of a hub")
	}
	from, focus, full := m.history.leg(), m.focus, m.layoutOptions.Full
	back := from != nil && from.Rec == leg.Rec
	if back {
		m.history.Pop()
	}
	cmd := m.Jump(leg.Rec, leg.Frame())
	if back {
		m.history.Pop()
	} else {
		m.history[len(m.history)-1].leg = true
	}
	m.focusPane(focus)
	m.layoutOptions.Full = full
	return cmd
}

// toProblem goes to the next or previous row that went wrong.
func (m *Model) toProblem(step int) {
	if m.list.Rec == nil {
		return
	}
	i := m.list.Problem(step)
	if i < 0 {
		m.toast.text, m.toast.bad = "no further problem", true
		return
	}
	m.remember()
	m.list.Pause()
	m.list.Choose(m.list.Visible[i])
}

// selectedRow is the row of the selection, -1 for none.
func (m *Model) selectedRow() int {
	if id, ok := m.list.Selected(); ok {
		return int(id)
	}
	return -1
}

func (m *Model) askComment() tea.Cmd {
	i := m.selectedRow()
	if i < 0 {
		return m.Complain("only what belongs to a message can have a comment")
	}
	m.list.Pause()
	r := m.list.Rec
	of := notes.RowKey(notes.Comment, r.Tracker.Row(i))
	return (&prompt{what: promptComment, row: i, rec: r, of: of, name: m.selectionName()}).begin(m, r.Notes.Text(of))
}

// askName asks what to call a recording, or a session of it.
func (m *Model) askName(r *library.Recording, of notes.Key, what safe.Text) tea.Cmd {
	return (&prompt{what: promptName, rec: r, of: of, name: what}).begin(m, r.Notes.Text(of))
}

// freeze stops taking in news, so that nothing on the screen changes; what the
// tap records meanwhile comes in when the screen thaws.
func (m *Model) freeze() tea.Cmd {
	if m.frozen = !m.frozen; m.frozen {
		m.frozenAt = m.opts.Now()
		return nil
	}
	if m.newsHeld {
		m.newsHeld = false
		return m.applyQueue()
	}
	return nil
}
