package ui

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/ui/frames"
	"midwire/ui/guard"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/replaying"
	"midwire/ui/term"
	"midwire/ui/view"
)

// Update takes in one message. Whatever does not concern the interface leaves
// the screen alone.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd, more tea.Cmd
	_, pressed := msg.(tea.KeyPressMsg)
	if !m.guard.Do("the screen at a message", func() { cmd = m.handle(msg) }) {
		cmd = m.continueFeed(msg)
	}
	m.guard.Do("the screen", func() {
		if more = m.afterUpdate(pressed); !pressed {
			more = tea.Batch(more, m.afterNews())
		}
	})
	return m, guard.Command(tea.Batch(cmd, more, m.guard.Flush()))
}

func (m *Model) handle(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
		m.dirty, m.drawNow = true, true // also where the terminal has not the focus
	case tea.BackgroundColorMsg:
		if m.asksBackground() {
			m.dark = msg.IsDark()
			m.applyTheme()
		}
	case tea.ColorProfileMsg:
		m.basicColour = msg.Profile == colorprofile.ANSI
		m.noColour = m.opts.NoColor || msg.Profile <= colorprofile.ASCII
		m.applyTheme()
	case tea.ModeReportMsg:
		if msg.Mode == ansi.ModeUnicodeCore { // as Bubble Tea understands the answer
			is := msg.Value
			term.CountGraphemes(is == ansi.ModeReset || is == ansi.ModeSet || is == ansi.ModePermanentlySet)
			m.applyTheme()
		}
	case tea.KeyPressMsg:
		m.dirty = true
		return m.key(msg)
	case tea.PasteMsg:
		m.dirty = true
		if e := m.active(); e != nil {
			return e.update(m, msg)
		}
	case tea.MouseClickMsg:
		m.dirty = true
		return m.click(msg.Mouse())
	case tea.MouseWheelMsg:
		m.dirty = true
		return m.turn(msg.Mouse())
	case tea.BlurMsg:
		m.blurred = true
	case tea.FocusMsg:
		m.blurred, m.slow, m.dirty = false, false, true
	default:
		return m.handleOwn(msg)
	}
	return nil
}

// handleOwn takes what the model's own commands send.
func (m *Model) handleOwn(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case batchMsg:
		return m.takeBatch(msg)
	case goOnMsg:
		return m.applyQueue()
	case scanMsg:
		m.scanning = false
		m.dirty = true
	case messages.HitsMsg:
		m.list.TakeHits(msg)
		m.dirty = true
	case messages.KeysMsg:
		m.dirty = true
	case messages.OrderMsg:
		m.list.TakeOrder(msg)
		m.dirty = true
	case frames.Msg:
		m.dirty = true
		if m.cache.Take(msg); msg.Then != nil {
			return msg.Then()
		}
	case guard.Msg:
		m.guard.Note(msg.Defect)
	case docMsg:
		m.takeDoc(msg)
	case timer:
		msg()
	case wheelMsg:
		return m.turnMore()
	case replaying.ProgressMsg:
		cmd, changed := m.replay.Progress(msg)
		m.dirty = m.dirty || changed
		return cmd
	case view.Then:
		m.dirty = true
		return msg(m)
	}
	return nil
}

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
