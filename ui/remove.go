package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/menu"
)

// removal is a recording that may be deleted, and where it is.
type removal struct {
	rec     string
	path    string
	size    int64
	outside bool // of the library
}

type (
	// foundMsg says what would be deleted.
	foundMsg struct {
		removal
		err error
	}
	// deletedMsg says that a recording was deleted, or why not.
	deletedMsg struct {
		rec string
		err error
	}
)

// askDelete asks whether to delete a recording, once it is known what that is.
func (m *Model) askDelete(r *library.Recording) tea.Cmd {
	id, by := r.ID, m.opts.Notebook
	if by == nil {
		return m.Complain("recordings cannot be deleted from here")
	}
	return func() tea.Msg {
		path, size, outside, err := by.Find(id)
		return foundMsg{removal{id, path, size, outside}, err}
	}
}

func (m *Model) takeFound(msg foundMsg) tea.Cmd {
	if msg.err != nil {
		return m.Complain(safe.Line(msg.err.Error()))
	}
	if r := m.rec(msg.rec); r != nil && !r.Live && m.dialog.kind == noDialog {
		m.removal = msg.removal
		m.dialog = dialog{kind: deleteDialog}
	}
	return nil
}

func (m *Model) deleteKey(name string) tea.Cmd {
	m.dialog = dialog{}
	if name != "y" {
		return m.Say("nothing was deleted")
	}
	by, at := m.opts.Notebook, m.removal
	return func() tea.Msg { return deletedMsg{at.rec, by.Delete(at.rec, at.path)} }
}

func (m *Model) takeDeleted(msg deletedMsg) tea.Cmd {
	r := m.rec(msg.rec)
	if msg.err != nil {
		return m.Complain(safe.Line(msg.err.Error()))
	}
	if r == nil {
		return nil
	}
	if m.noteQueue.deleted == nil {
		m.noteQueue.deleted = map[string]bool{}
	}
	m.noteQueue.deleted[r.ID] = true
	name := r.Name()
	m.forget(r)
	return m.Say(name + " is deleted")
}

func (m *Model) forget(r *library.Recording) {
	if m.view != m.home {
		m.toMessages()
	}
	m.forgetReturn()
	m.home.Next()
	delete(m.byID, r.ID)
	m.recs = slices.DeleteFunc(m.recs, func(x *library.Recording) bool { return x == r })
	m.noteQueue.changed = slices.DeleteFunc(m.noteQueue.changed, func(x *library.Recording) bool { return x == r })
	m.history = slices.DeleteFunc(m.history, func(p location) bool { return p.Rec == r })
	if p := m.replay.Marked; p != nil && p.Recording == r.ID {
		m.replay.Marked = nil
	}
	if m.list.Rec == r {
		m.list.Reset(library.Scope{Session: library.AllSessions}, m.list.RawFrames, m.filter.Query())
	}
	m.review(reviewAll)
}

func (m *Model) deleteLines() []string {
	at := m.removal
	return menu.Delete(&m.Scene().Screen, m.deleteWidth()-2, m.rec(at.rec), at.path, at.size, at.outside)
}

func (m *Model) deleteWidth() int { return min(m.w-2, 84) }
