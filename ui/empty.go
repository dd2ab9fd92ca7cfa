package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/view"
	"midwire/ui/welcome"
)

// drawEmpty fills the screen while there is no recording at all: it says how
// to get one.
func (m *Model) drawEmpty(screen []string) {
	end := m.layout.Status.Y
	if m.layout.Hints.H > 0 {
		end = m.layout.Hints.Y
	}
	copy(screen[1:end], m.welcome.Draw(&m.Scene().Screen, m.w, end-1))
}

// welcomeEntry is the field of the empty screen.
type welcomeEntry struct{ *welcome.Screen }

func (e welcomeEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	if cmd, ok := e.Key(m, k); ok {
		return cmd
	}
	return m.press(k)
}

func (e welcomeEntry) update(_ *Model, msg tea.Msg) tea.Cmd { return e.Paste(msg) }

// play implements welcome.Host.
func (m *Model) play(name string) tea.Cmd {
	by := m.opts.Starter
	m.opts.TapInProcess = true
	m.announce("playing " + safe.Line(name) + ": it opens here by itself")
	return m.started(func() (string, error) { return "", by.Play(name) })
}

// serve implements welcome.Host.
func (m *Model) serve(url string) tea.Cmd {
	by := m.opts.Starter
	if by == nil {
		return m.Complain("nothing can be started from here; midwire http URL does")
	}
	return m.started(func() (string, error) { return by.Serve(url) })
}

// started has a command start something, and says what became of it: the address of a proxy.
func (m *Model) started(start func() (address string, err error)) tea.Cmd {
	return func() tea.Msg {
		address, err := start()
		return view.Then(func(view.Host) tea.Cmd { return m.takeStarted(address, err) })
	}
}

// listen waits for the next line of a play.
func (m *Model) listen() tea.Cmd {
	told, ctx := m.opts.Told, m.ctx
	if told == nil {
		return nil
	}
	return func() tea.Msg {
		select {
		case text := <-told:
			return view.Then(func(view.Host) tea.Cmd { return tea.Batch(m.announce(safe.Line(text)), m.listen()) })
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Model) takeStarted(address string, err error) tea.Cmd {
	switch {
	case err != nil:
		return m.Complain(safe.Line(err.Error()))
	case address == "":
		if m.opts.Told != nil { // the play has said so itself
			return nil
		}
		return m.announce("the play is over. Try: ! what broke, and why   enter a message   R replay it")
	}
	m.opts.TapInProcess, m.opts.Hints.HTTPURL = true, address
	m.welcome.Address, m.home.URL = address, address
	return m.announce("clients use " + safe.Line(address))
}
