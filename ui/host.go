package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/view"
)

// Scene implements view.Host.
func (m *Model) Scene() *library.Scene { return m.scene() }

// Scope implements view.Host.
func (m *Model) Scope() library.Scope { return m.list.Scope }

// Rows implements view.Host.
func (m *Model) Rows() messages.Rows { return m.list.Rows() }

// Select implements view.Host.
func (m *Model) Select(id uint32) { m.list.Selection = id }

// Follow implements view.Host.
func (m *Model) Follow(on bool) {
	if on {
		m.list.Resume()
	} else {
		m.list.Pause()
	}
}

// Recordings implements view.Host.
func (m *Model) Recordings() []*library.Recording { return m.recs }

// Review implements view.Host.
func (m *Model) Review() { m.review(reviewAll) }

// Exports implements view.Host.
func (m *Model) Exports() bool { return m.opts.Exporter != nil }

// Run implements view.Host.
func (m *Model) Run(id string) tea.Cmd { return m.call(keymap.Named(m.commands(), id)) }

// Copy implements view.Host.
func (m *Model) Copy(text, what string) tea.Cmd { return clipboard(m, text, what) }

// Say implements view.Host.
func (m *Model) Say(text safe.Text) tea.Cmd { return m.say(text) }

// Complain implements view.Host.
func (m *Model) Complain(text safe.Text) tea.Cmd { return m.complain(text) }

// Clicked implements view.Host.
func (m *Model) Clicked(line uint32) (again bool) {
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{line, now}
	if again = last.id == line && !last.at.IsZero() && now.Sub(last.at) < doubleClick; again {
		m.lastRow = clicked{}
	}
	return again
}

// Later implements view.Host.
func (m *Model) Later(v view.Sleeper, d time.Duration) tea.Cmd {
	if d == 0 {
		m.dirty = true
		return func() tea.Msg { return view.WakeMsg{V: v, After: 0} }
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return view.WakeMsg{V: v, After: d} })
}
