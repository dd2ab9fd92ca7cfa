package ui

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/library"
)

// selectedRow is the row of the selection, -1 for none.
func (m *Model) selectedRow() int {
	id, ok := m.list.Selected()
	switch {
	case !ok:
		return -1
	case !m.list.RawFrames:
		return int(id)
	}
	if f := m.list.Rec.Frame(uint64(id)); f != nil {
		return int(f.Row)
	}
	return -1
}

// mark marks the selected row, or takes the mark away.
func (m *Model) mark() {
	i := m.selectedRow()
	if i < 0 {
		return
	}
	r, text := m.list.Rec, notes.Marked
	if r.Marked(i) {
		text = ""
	}
	of, k := r.NoteAt(notes.Mark, i)
	m.note(of, k, text)
	m.list.Changed([]int{i})
}

// askComment asks for a comment on the selected row.
func (m *Model) askComment() tea.Cmd {
	i := m.selectedRow()
	if i < 0 {
		return m.Complain("only what belongs to a message can have a comment")
	}
	m.list.Pause()
	r, of := m.list.Rec.NoteAt(notes.Comment, i)
	return (&prompt{what: promptComment, row: i, rec: r, of: of, name: m.selectionName()}).begin(m, r.Notes.Text(of))
}

// askName asks what to call a recording, or a session of it.
func (m *Model) askName(r *library.Recording, of notes.Key, what safe.Text) tea.Cmd {
	return (&prompt{what: promptName, rec: r, of: of, name: what}).begin(m, r.Notes.Text(of))
}

// onlyMarked shows the marked rows, or all again.
func (m *Model) onlyMarked() {
	m.forgetReturn()
	switch {
	case m.list.Rec == nil:
	case m.filter.Text() == "is:marked":
		m.keepOnly("")
	case !m.list.Rec.HasNotes(notes.Mark):
		m.Complain("no row is marked; m marks one")
	default:
		m.remember()
		m.keepOnly("is:marked")
	}
}

// onlyFlow shows what belongs to the selected message, or all again.
func (m *Model) onlyFlow() {
	m.forgetReturn()
	if strings.HasPrefix(m.filter.Text(), "flow:") {
		m.keepOnly("")
		return
	}
	if i := m.selectedRow(); i >= 0 {
		r := m.list.Rec
		m.remember()
		m.list.Pause()
		m.keepOnly("flow:" + strconv.Itoa(int(r.Tracker.Row(r.Root(i)).Request)))
	}
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

// sameFlow says whether the selection can be followed as a flow.
func (m *Model) sameFlow() bool {
	i := m.selectedRow()
	return i >= 0 && m.list.Rec.Tracker.Row(i).Kind == session.RowCall && m.list.Rec.Tracker.Row(i).Dir != wire.NoDir
}
