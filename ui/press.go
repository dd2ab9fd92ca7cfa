package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/ui/keymap"
	"midwire/ui/view/insight"
	"midwire/ui/view/sequence"
	"midwire/ui/view/waterfall"
)

// holds says whether a command means anything where one is.
func (m *Model) holds(c *keymap.Command) bool {
	in := c.Area()
	switch {
	case in == keymap.Everywhere:
		return m.view == nil || c.On >= m.view.Area().Holding()
	case m.view != nil:
		return in == m.view.Area()
	}
	return in.Holding() == keymap.OnMessages
}

// call carries out a command, or says why not.
func (m *Model) call(c keymap.Command) tea.Cmd {
	if why := c.Disabled(); why != "" {
		return m.complain(why)
	}
	return c.Run()
}

// press carries out what a key means where one is: first by the area, then by
// what holds everywhere.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	all := append(m.own(), m.root()...)
	for _, in := range []keymap.Area{m.area(), keymap.Everywhere} {
		for _, c := range all {
			switch {
			case c.Area() != in || !key.Matches(k, c.Key):
			case m.holds(&c):
				return m.call(c)
			default:
				return m.notHere(c)
			}
		}
	}
	return nil
}

// root are the commands of the program itself.
func (m *Model) root() []keymap.Command { return keymap.Rebound(m.commands(), m.opts.Keys) }

// own are the commands of the view that is open.
func (m *Model) own() []keymap.Command {
	if m.view == nil || len(m.recs) == 0 {
		return nil
	}
	return keymap.Rebound(m.view.Commands(m), m.opts.Keys)
}

// notHere says where a command holds instead.
func (m *Model) notHere(c keymap.Command) tea.Cmd {
	where := ", but in: " + c.Area().Name()
	if c.Area() == keymap.Everywhere {
		where = ", but with the messages"
	}
	return m.complain(c.Name() + ": not here" + where)
}

// everyCommand lists all commands there are: of the view that is open, of those
// that are not, and of the program.
func (m *Model) everyCommand() (out []keymap.Command) {
	for _, v := range append(
		m.replay.Views(), waterfall.New(), sequence.New(),
		insight.NewTools(m.insights), insight.NewCapabilities(m.insights),
		insight.NewStreams(m.insights), insight.NewHandles(m.insights), m.findings,
	) {
		if m.view != nil && m.view.Area() == v.Area() {
			v = m.view
		}
		out = append(out, v.Commands(m)...)
	}
	return keymap.Rebound(append(out, m.commands()...), m.opts.Keys)
}
