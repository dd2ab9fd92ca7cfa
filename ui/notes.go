package ui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/view"
)

// Notebook keeps what users write about recordings, and deletes recordings.
// Its methods are called from commands, several at a time.
type Notebook interface {
	// Load returns the notes of a recording. An error says that there are some
	// that cannot be read: they are left alone.
	Load(rec string) (*notes.Notes, error)
	// Save keeps changes and returns the notes, with what others wrote.
	// notes.ErrNotKept says that there is nowhere to keep them.
	Save(rec string, changes notes.Changes) (*notes.Notes, error)
	// Find says where a recording is, and whether that is outside the library.
	Find(rec string) (path string, size int64, outside bool, err error)
	// Delete removes a recording and its notes from where Find said they are.
	Delete(rec, path string) error
}

type noteQueue struct {
	want    []string             // recordings whose notes are to be read
	changed []*library.Recording // notes that are to be kept
	warned  bool                 // that notes are not kept
	deleted map[string]bool      // recordings, by id
}

// read asks for the notes of a recording; they may have changed since.
func (q *noteQueue) read(rec string) {
	if !slices.Contains(q.want, rec) {
		q.want = append(q.want, rec)
	}
}

func (m *Model) keepNotes() tea.Cmd {
	by := m.opts.Notebook
	if by == nil {
		m.noteQueue.want, m.noteQueue.changed = nil, nil
		return nil
	}
	var cmds []tea.Cmd
	if want := m.noteQueue.want; len(want) > 0 {
		m.noteQueue.want = nil
		cmds = append(cmds, func() tea.Msg { return m.readNotes(by, want) })
	}
	later := m.noteQueue.changed[:0]
	for _, r := range m.noteQueue.changed {
		switch {
		case r.Sent != nil:
			later = append(later, r)
		case len(r.Changes) > 0:
			r.Changes, r.Sent = nil, r.Changes
			id, sent := r.ID, r.Sent
			cmds = append(cmds, func() tea.Msg {
				all, err := by.Save(id, sent)
				return view.Then(func(view.Host) tea.Cmd { return m.takeSaved(id, all, err) })
			})
		}
	}
	m.noteQueue.changed = later
	return tea.Batch(cmds...)
}

func (m *Model) readNotes(by Notebook, want []string) tea.Msg {
	read, failed := map[string]*notes.Notes{}, map[string]error{}
	for _, id := range want {
		n, err := by.Load(id)
		if err != nil {
			failed[id] = err
		} else if n.Total() > 0 {
			read[id] = n
		}
	}
	return view.Then(func(view.Host) tea.Cmd { return m.takeNotes(read, failed) })
}

func (m *Model) takeNotes(read map[string]*notes.Notes, failed map[string]error) tea.Cmd {
	for id, n := range read {
		if r := m.rec(id); r != nil {
			m.adopt(r, n)
		}
	}
	var cmd tea.Cmd
	for id, err := range failed {
		if r := m.rec(id); r != nil && !r.Unkept {
			r.Unkept = true
			cmd = m.Complain(r.Name() + ": " + safe.Line(err.Error()))
		}
	}
	return cmd
}

func (m *Model) takeSaved(rec string, kept *notes.Notes, err error) tea.Cmd {
	r := m.rec(rec)
	if r == nil {
		return nil
	}
	changes := r.Pending()
	if r.Sent = nil; err == nil {
		m.adopt(r, kept)
		return nil
	}
	if r.Changes = changes; !errors.Is(err, notes.ErrNotKept) { // the next change, or the end, tries again
		return m.Complain(safe.Line(err.Error()))
	}
	r.Changes, r.Unkept = nil, true
	if m.noteQueue.warned {
		return nil
	}
	m.noteQueue.warned = true
	return m.Complain(safe.Line(err.Error()))
}

// adopt takes over what is kept of a recording, with what is not kept yet.
func (m *Model) adopt(r *library.Recording, n *notes.Notes) {
	if n.Apply(r.Pending()); n.Equal(r.Notes) {
		return
	}
	r.Notes = n
	r.Findings.Renew()
	m.review(reviewStale)
	m.renoted(r)
	if l := &m.list; l.Rec == r && l.Query != nil {
		follow := l.Follow
		l.Reset(l.Scope, l.Query)
		l.Follow = follow
	}
}

func (m *Model) renoted(r *library.Recording) {
	r.Stamp++
	m.dirty = true
}

func (m *Model) note(r *library.Recording, k notes.Key, text string) {
	if m.rec(r.ID) != r || r.Notes.Text(k) == text {
		return
	}
	r.Notes.Apply(notes.Changes{k: text})
	m.renoted(r)
	if !r.Unkept && m.opts.Notebook != nil {
		if r.Changes == nil {
			r.Changes = notes.Changes{}
		}
		r.Changes[k] = text
		if !slices.Contains(m.noteQueue.changed, r) {
			m.noteQueue.changed = append(m.noteQueue.changed, r)
		}
	}
}

// flush keeps what is not kept yet. It is called when the screen is gone, and
// may block.
func (m *Model) flush() {
	for _, r := range m.recs {
		if changes := r.Pending(); m.opts.Notebook != nil && !r.Unkept && len(changes) > 0 {
			_, _ = m.opts.Notebook.Save(r.ID, changes) // no one can be told any more
		}
	}
}

// removal is a recording that may be deleted, and where it is.
type removal struct {
	rec     string
	path    string
	size    int64
	outside bool // of the library
}

// askDelete asks whether to delete a recording, once it is known what that is.
func (m *Model) askDelete(r *library.Recording) tea.Cmd {
	id, by := r.ID, m.opts.Notebook
	if by == nil {
		return m.Complain("recordings cannot be deleted from here")
	}
	return func() tea.Msg {
		path, size, outside, err := by.Find(id)
		return view.Then(func(view.Host) tea.Cmd { return m.takeFound(removal{id, path, size, outside}, err) })
	}
}

func (m *Model) takeFound(at removal, err error) tea.Cmd {
	if err != nil {
		return m.Complain(safe.Line(err.Error()))
	}
	if r := m.rec(at.rec); r != nil && !r.Live && m.dialog.kind == noDialog {
		m.removal = at
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
	return func() tea.Msg {
		err := by.Delete(at.rec, at.path)
		return view.Then(func(view.Host) tea.Cmd { return m.takeDeleted(at.rec, err) })
	}
}

func (m *Model) takeDeleted(rec string, err error) tea.Cmd {
	r := m.rec(rec)
	if err != nil {
		return m.Complain(safe.Line(err.Error()))
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
		m.list.Reset(library.Scope{Session: library.AllSessions}, m.filter.Query())
	}
	m.review(reviewAll)
}

func (m *Model) deleteLines() []string {
	at := m.removal
	return menu.Delete(&m.Scene().Screen, m.deleteWidth()-2, m.rec(at.rec), at.path, at.size, at.outside)
}

func (m *Model) deleteWidth() int { return min(m.w-2, 84) }
