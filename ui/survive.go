package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// refreshView has the view take in what is new. One that cannot is left: the user
// would not get out of it.
func (m *Model) refreshView() (cmd tea.Cmd) {
	if !m.guard.Do("the view “"+string(m.view.Name())+"”", func() { cmd = m.view.Refresh(m) }) && m.view != m.home {
		m.toMessages()
	}
	return cmd
}

// part draws a part of the screen, or what stands in its place where that panics.
func (m *Model) part(unit safe.Text, sc *library.Scene, w, h int, draw func() []string) (lines []string) {
	if !m.guard.Do(string(unit), func() { lines = draw() }) {
		lines = term.Blanks(max(h, 0), w)
		if h > 0 {
			lines[0] = term.NewLine(w, sc.Glyphs).Put(sc.Theme.Err, library.Undrawn(unit)).Finish()
		}
	}
	return lines
}

// continueFeed keeps news coming when what one message of it brought could not be
// taken in.
func (m *Model) continueFeed(msg tea.Msg) tea.Cmd {
	m.dirty = true
	switch msg.(type) {
	case batchMsg, goOnMsg:
		return func() tea.Msg { return goOnMsg{} }
	}
	return nil
}
