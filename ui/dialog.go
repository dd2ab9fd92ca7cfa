package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/ui/menu"
	"midwire/ui/palette"
	"midwire/ui/term"
	"midwire/ui/view"
)

type dialogKind uint8

const (
	noDialog dialogKind = iota
	menuDialog
	quitDialog
	replayDialog
	pickDialog // the palette or the help
	deleteDialog
)

// dialog is a box over everything else; it takes the keys.
type dialog struct {
	kind  dialogKind
	lines view.Scroller   // of a box that is longer than the screen
	pick  *palette.Picker // of the palette and the help
	menu  *menu.Menu
	entry textEntry
	at    term.Rect // where the frame is
}

func (m *Model) dialogKey(k tea.KeyPressMsg) tea.Cmd {
	kind, name := m.dialog.kind, k.String()
	if name == "ctrl+c" {
		m.dialog = dialog{}
		return m.quit(true)
	}
	if kind == menuDialog {
		return m.menuKey(name)
	}
	switch name {
	case "down", "pgdown":
		m.dialog.lines.Scroll(1)
		return nil
	case "up", "pgup":
		m.dialog.lines.Scroll(-1)
		return nil
	}
	switch kind {
	case deleteDialog:
		return m.deleteKey(name)
	case quitDialog:
		m.dialog = dialog{}
		if name == "y" {
			m.cancel()
			return tea.Quit
		}
	}
	return nil
}

func (m *Model) drawDialog(screen []string) []string {
	switch m.dialog.kind {
	case pickDialog:
		p := m.dialog.pick
		lines := p.Draw(m)
		return m.box(screen, p.Title(), p.Note(m), lines, p.Width(m)+2)
	case menuDialog:
		c := m.dialog.menu
		w := c.Width(m.w, m.h)
		lines, height := c.Draw(&m.Scene().Screen, w-2), max(m.h-3, 1)
		m.dialog.lines.Top = term.Reveal(m.dialog.lines.Top, c.Line(), height, len(lines))
		return m.box(screen, c.Title, cmp.Or(c.Hint, "enter does it, esc closes"), lines, w)
	case replayDialog:
		title, lines, w := m.replay.Box()
		return m.box(screen, title, "", lines, w)
	case deleteDialog:
		return m.box(screen, "Delete", "", m.deleteLines(), m.deleteWidth())
	case quitDialog:
		return m.box(screen, "Quit", "", m.quitLines(), min(m.w-2, 58))
	}
	return screen
}

// box draws a frame around lines of w-2 cells in the middle of the screen.
func (m *Model) box(screen []string, title, note safe.Text, lines []string, w int) []string {
	s := &m.dialog.lines
	s.Fit(len(lines), max(m.h-3, 1))
	if m.dialog.pick == nil && len(lines) > s.Height { // the palette and the help scroll by themselves
		note = "↓ ↑ more"
		if m.opts.ASCII {
			note = "up, down"
		}
	}
	lines = lines[s.Top:min(s.Top+s.Height, len(lines))]
	out := term.Box(&m.theme, &m.glyphs, title, note, lines, w)
	m.dialog.at = term.Rect{X: (m.w - w) / 2, Y: max(0, (m.h-len(out))/2), W: w, H: len(out)}
	return term.Over(screen, out, m.dialog.at.X, m.dialog.at.Y)
}

func (m *Model) openMenu(c *menu.Menu) {
	m.dialog = dialog{kind: menuDialog, menu: c}
}

func (m *Model) notChosen(key string) tea.Cmd {
	return m.Complain(safe.Line(key) + " chooses nothing here; enter does what the cursor is on, esc closes")
}

// menuKey takes a key of a menu. One that means nothing there leaves it open,
// and is said.
func (m *Model) menuKey(name string) tea.Cmd {
	c := m.dialog.menu
	run, done, known := c.Key(name)
	if !known && c.Else != nil {
		return c.Else(name)
	}
	if done {
		m.dialog = dialog{}
	}
	if run == nil {
		return nil
	}
	return run()
}

// clickMenu does what is under the pointer, or closes the menu when that is
// outside of it.
func (m *Model) clickMenu(x, y int) tea.Cmd {
	at, c := m.dialog.at, m.dialog.menu
	it := c.At(x-at.X-1, y-at.Y-1+m.dialog.lines.Top, at.W-2)
	if it == nil && at.Has(x, y) {
		return nil
	}
	if it == nil || !c.Stays {
		m.dialog = dialog{}
	}
	if it == nil {
		return nil
	}
	return it.Run()
}

func (m *Model) quitLines() []string {
	clients := 0
	for _, r := range m.live() {
		for _, s := range r.Tracker.Sessions() {
			if s.State <= session.StateOperating {
				clients++
			}
		}
	}
	return menu.Quit(&m.Scene().Screen, min(m.w-2, 58)-2, m.opts.Hints.HTTPURL, clients)
}
