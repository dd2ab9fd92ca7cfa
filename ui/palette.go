package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/palette"
)

// pickerEntry is the line of the palette or the help among the text entries.
type pickerEntry struct{ *palette.Picker }

func (p pickerEntry) key(m *Model, k tea.KeyPressMsg) tea.Cmd { return p.Key(m, k) }
func (p pickerEntry) update(m *Model, msg tea.Msg) tea.Cmd    { return p.Update(m, msg) }

func (m *Model) openPalette() tea.Cmd {
	return m.pick(palette.New(m.offers(), Themes(), &m.recent))
}

func (m *Model) openAnything() tea.Cmd {
	return m.pick(palette.NewAnything(m, m.offers(), &m.recent))
}

// openHelp lists every key, those that hold here first.
func (m *Model) openHelp() tea.Cmd {
	var all []palette.Offer
	own := m.own()
	for _, c := range m.everyCommand() {
		if c.Title = c.Help(); c.Title != "" {
			all = append(all, palette.Offer{Command: c, Keys: m.showKeys(&c), Rank: m.rank(&c, own)})
		}
	}
	return m.pick(palette.NewHelp(all, &m.recent))
}

func (m *Model) pick(p *palette.Picker, cmd tea.Cmd) tea.Cmd {
	m.dialog = dialog{kind: pickDialog, pick: p, entry: pickerEntry{p}}
	return cmd
}

// showKeys names the keys of a command in signs the terminal has.
func (m *Model) showKeys(c *keymap.Command) safe.Text {
	show := c.Key.Help().Key
	if m.opts.ASCII {
		show = strings.NewReplacer("← →", "<- ->", " ↓ ↑", "").Replace(show)
	}
	return safe.Line(show)
}

// clickPick does what is under the pointer, or closes the box when that is
// outside of it.
func (m *Model) clickPick(x, y int) tea.Cmd {
	at := m.dialog.at
	if !at.Has(x, y) {
		m.dialog = dialog{}
		return nil
	}
	return m.dialog.pick.Click(m, x-at.X-1, y-at.Y-1)
}

func (m *Model) goTo(n uint64) tea.Cmd {
	r := m.list.Rec
	switch {
	case r == nil || !r.Loaded():
		return m.Complain("no recording is shown; choose one among the sessions first")
	case r.Frame(n) == nil:
		return m.Complain("there is no #" + safe.Int(n) + "; the last one is #" + safe.Int(r.Frames[len(r.Frames)-1].N))
	}
	return m.Jump(r, n)
}

// filterBy shows the messages that a filter keeps. On a view of what the list
// shows it filters that; from other views esc comes back.
func (m *Model) filterBy(text string) tea.Cmd {
	if why := m.whyNotFilter(); why != "" {
		return m.Complain(why)
	}
	if m.view == nil {
		m.forgetReturn()
		m.focusPane(paneList)
	} else if !m.view.Area().OfList() {
		m.pushHere()
		m.rearrange()
		m.focusPane(paneList)
	}
	m.keepOnly(text)
	if text == "" {
		return nil
	}
	return m.filter.Use(text)
}

func (m *Model) setTheme(name string) tea.Cmd {
	m.opts.Theme = name
	if name == "auto" { // what it looks like depends on the background
		return tea.RequestBackgroundColor
	}
	m.dark = name == "dark"
	m.applyTheme()
	if m.noColour {
		return m.Say("no theme has colours while NO_COLOR is set")
	}
	return nil
}
