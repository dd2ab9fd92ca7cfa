package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/messages"
	"midwire/ui/palette"
	"midwire/ui/term"
	"midwire/ui/view"
)

type dialogKind uint8

const (
	noDialog dialogKind = iota
	copyDialog
	quitDialog
	replayDialog
	exportDialog
	pickDialog // the palette or the help
	deleteDialog
	chooseDialog // columns of the list, or its order
)

// dialog is a box over everything else; it takes the keys.
type dialog struct {
	kind  dialogKind
	lines view.Scroller   // of a box that is longer than the screen
	pick  *palette.Picker // of the palette and the help
	entry textEntry
	at    term.Rect // where the frame is

	choose *messages.Chooser
}

func (m *Model) dialogKey(k tea.KeyPressMsg) tea.Cmd {
	kind, name := m.dialog.kind, k.String()
	if name == "ctrl+c" {
		m.dialog = dialog{}
		return m.quit(true)
	}
	if kind == chooseDialog {
		if m.dialog.choose.Key(name) {
			m.dialog = dialog{}
		}
		return nil
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
	case exportDialog:
		return m.exportKey(name)
	case copyDialog:
		m.dialog = dialog{}
		for _, c := range m.root() {
			if c.Area() == keymap.CopyMenu && key.Matches(k, c.Key) {
				return m.call(c)
			}
		}
	case deleteDialog:
		return m.deleteKey(name)
	case quitDialog:
		m.dialog = dialog{}
		if name == "y" || name == "enter" || name == "q" {
			m.cancel()
			return tea.Quit
		}
	}
	return nil
}

// drawDialog puts the open dialog over the screen.
func (m *Model) drawDialog(screen []string) []string {
	switch m.dialog.kind {
	case pickDialog:
		p := m.dialog.pick
		return m.box(screen, p.Title(), p.Note(m), p.Draw(m), p.Width(m)+2)
	case copyDialog:
		return m.box(screen, "Copy", "esc closes", m.copyLines(), m.copyWidth())
	case exportDialog:
		return m.box(screen, m.exportTitle(), "esc closes", m.exportLines(), min(m.w-2, menuWidth))
	case replayDialog:
		title, lines, w := m.replay.Box()
		return m.box(screen, title, "", lines, w)
	case deleteDialog:
		return m.box(screen, "Delete", "", m.deleteLines(), m.deleteWidth())
	case chooseDialog:
		c, w := m.dialog.choose, min(m.w-2, messages.ChooserWidth)
		return m.box(screen, c.Title, c.Note, c.Draw(m.scene(), w-2), w)
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

func (m *Model) quitLines() []string {
	w := min(m.w-2, 58) - 2
	return []string{
		term.NewLine(w, &m.glyphs).Gap(1).Put(term.Plain, "A tap is running in this process. Quitting ends it").Finish(),
		term.NewLine(w, &m.glyphs).Gap(1).Put(term.Plain, "and cuts the connections that go through it.").Finish(),
		term.NewLine(w, &m.glyphs).Finish(),
		term.NewLine(w, &m.glyphs).Gap(1).Cell(m.theme.Key, "y", 3).Cell(term.Plain, "quit",
			8).Cell(m.theme.Key, "any key", 9).Put(term.Plain, "stay").Finish(),
	}
}
