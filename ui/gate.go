package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/replaying"
	"midwire/ui/view"
)

// gateCommands arm the gate and release what it holds, from everywhere.
func (m *Model) gateCommands() []keymap.Command {
	return []keymap.Command{
		{
			ID: "global.gate", Key: keymap.Bind("I", "I", "hold messages at the gate"), Title: "hold messages at the gate", Words: "intercept arm break edit drop fault breakpoint pause", Group: keymap.Act, On: keymap.OnSiblings,
			Why: m.whyNotGate, Run: func() tea.Cmd { return m.gate.Turn(m, m.filter.Text()) },
		},
		{
			ID: "global.release-all", Key: keymap.Bind("ctrl+g", "^g", "release all that is held"), Title: "release everything that the gate holds", Words: "continue resume intercept", Says: keymap.If(func() bool { return m.gate.Holds() }, "release all"),
			Group: keymap.Act, On: keymap.OnAll, Run: func() tea.Cmd { return m.gate.ReleaseAll(m) },
		},
		{
			ID: "global.restart", Key: keymap.Bind("ctrl+r", "", ""), Title: "restart the server behind its client", Words: "reload again respawn hot",
			Says:  keymap.If(func() bool { return m.gate.WhyNotRestart() == "" }, "restart server"),
			Group: keymap.Act, On: keymap.OnSiblings, Why: m.gate.WhyNotRestart, Run: m.gate.Restart,
		},
	}
}

func (m *Model) whyNotGate() safe.Text { return m.gate.WhyNot(m.list.Rec) }

// editText opens a text in the user's editor, which replay has.
func (m *Model) editText(text []byte) replaying.Editor { return m.opts.Replayer.Edit(text) }

// writerEntry is the text of a view among the text entries.
type writerEntry struct{ view.Writer }

func (e writerEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd { return e.Write(m, k) }
func (e writerEntry) update(m *Model, msg tea.Msg) tea.Cmd    { return e.Write(m, msg) }

// writes is the text that the view is writing, nil for none.
func (m *Model) writes() view.Writer {
	if v, ok := m.view.(view.Writer); ok && v.Writes() {
		return v
	}
	return nil
}
