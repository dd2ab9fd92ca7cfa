package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/messages"
)

// host is all that a view may know of the program, and ask of it.
type host interface {
	// Scene is what drawing needs to know: theme, glyphs, size, time. It is
	// made anew for every call.
	Scene() *library.Scene
	// Scope says which messages the list shows.
	Scope() library.Scope
	// Rows is the list of these messages.
	Rows() messages.Rows

	// Recordings are all there are. The slice is read only.
	Recordings() []*library.Recording

	// Select selects a message of the list by its id.
	Select(id uint32)
	// Follow begins or ends following the newest message.
	Follow(on bool)
	// Jump shows a frame of a recording among the messages; esc comes back.
	Jump(rec *library.Recording, frame uint64) tea.Cmd
	// ShowOnly shows the messages of a scope that a filter keeps, a frame among
	// them selected; esc comes back.
	ShowOnly(of library.Scope, filter string, frame uint64)
	// Open shows another view, from which esc comes back.
	Open(v screenView)
	// Run carries out a command of the program, by its id.
	Run(id string) tea.Cmd

	// Review arranges the findings anew, where other rules are muted.
	Review()
	// Export writes so many findings as SARIF, by recording. Exports says
	// whether there is somewhere to write to.
	Export(found map[string][]*diagnose.Finding, n int) tea.Cmd
	Exports() bool

	// Copy puts text on the clipboard and says what it is.
	Copy(text, what string) tea.Cmd
	// Say tells something for a moment, Complain until a key is pressed.
	Say(text safe.Text) tea.Cmd
	Complain(text safe.Text) tea.Cmd

	// Clicked takes note of a click on a line and says whether it is the second
	// one of a double click.
	Clicked(line uint32) (again bool)
	// Later wakes a view after a while, or after the keys had a turn.
	Later(v sleeper, d time.Duration) tea.Cmd
}

// viewMsg is a message that a view or what it asks sent to itself. The screen
// is drawn anew after it.
type viewMsg interface {
	take(h host) tea.Cmd
}

// sleeper is a view that has something to do later.
type sleeper interface {
	// wake is called when so much time has passed, before the view's refresh.
	wake(after time.Duration)
}

// wakeMsg wakes a view.
type wakeMsg struct {
	v     sleeper
	after time.Duration
}

func (msg wakeMsg) take(host) tea.Cmd {
	msg.v.wake(msg.after)
	return nil
}

// Scene implements host.
func (m *Model) Scene() *library.Scene { return m.scene() }

// Scope implements host.
func (m *Model) Scope() library.Scope { return m.list.Scope }

// Rows implements host.
func (m *Model) Rows() messages.Rows { return m.list.Rows() }

// Select implements host.
func (m *Model) Select(id uint32) { m.list.Selection = id }

// Follow implements host.
func (m *Model) Follow(on bool) {
	if on {
		m.list.Resume()
	} else {
		m.list.Pause()
	}
}

// Recordings implements host.
func (m *Model) Recordings() []*library.Recording { return m.recs }

// Review implements host.
func (m *Model) Review() { m.review(reviewAll) }

// Exports implements host.
func (m *Model) Exports() bool { return m.opts.Exporter != nil }

// Run implements host.
func (m *Model) Run(id string) tea.Cmd { return m.call(named(m.commands(), id)) }

// Copy implements host.
func (m *Model) Copy(text, what string) tea.Cmd { return clipboard(m, text, what) }

// Say implements host.
func (m *Model) Say(text safe.Text) tea.Cmd { return m.say(text) }

// Complain implements host.
func (m *Model) Complain(text safe.Text) tea.Cmd { return m.complain(text) }

// Clicked implements host.
func (m *Model) Clicked(line uint32) (again bool) {
	last, now := m.lastRow, m.opts.Now()
	m.lastRow = clicked{line, now}
	if again = last.id == line && !last.at.IsZero() && now.Sub(last.at) < doubleClick; again {
		m.lastRow = clicked{}
	}
	return again
}

// Later implements host.
func (m *Model) Later(v sleeper, d time.Duration) tea.Cmd {
	if d == 0 {
		m.dirty = true
		return func() tea.Msg { return wakeMsg{v, 0} }
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return wakeMsg{v, d} })
}
