package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// What is asked for in one line.
type askedFor uint8

const (
	askNothing askedFor = iota
	askComment          // on the selected message
	askName             // of a recording or a session
	askTree             // what to find in the session tree
)

// asking is a line at the bottom in which the user writes something short. It
// takes the keys until enter or esc.
type asking struct {
	what   askedFor
	input  textinput.Model
	rec    *library.Recording // what the text is about
	key    notes.Key
	row    int       // of a comment
	name   safe.Text // the same for people
	before string    // what esc goes back to
}

// ask begins a line.
func (a *asking) ask(what askedFor, text string) tea.Cmd {
	a.what, a.before = what, text
	a.input = textinput.New()
	a.input.SetVirtualCursor(false)
	a.input.CharLimit = 400
	a.input.SetValue(text)
	a.input.CursorEnd()
	return a.input.Focus()
}

// askingKey edits the line. Enter keeps what it says, esc forgets it.
func (m *Model) askingKey(k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		m.asking.what = askNothing
		return m.quit(true)
	case "enter":
		m.answered()
		return nil
	case "esc":
		if m.asking.what == askTree {
			m.findInTree(m.asking.before)
		}
		m.asking.what = askNothing
		return nil
	case "up", "down", "tab", "shift+tab":
		if m.asking.what == askTree {
			m.answered()
			return m.key(k)
		}
		return nil
	}
	return m.updateAsking(k)
}

func (m *Model) updateAsking(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	m.asking.input, cmd = m.asking.input.Update(msg)
	if m.asking.what == askTree {
		m.findInTree(m.asking.input.Value())
	}
	return cmd
}

// answered takes what the line says.
func (m *Model) answered() {
	a := &m.asking
	what, text := a.what, a.input.Value()
	a.what = askNothing
	if what == askComment || what == askName {
		m.note(a.rec, a.key, text)
	}
	if what == askComment && a.rec == m.list.Rec {
		m.list.Changed([]int{a.row})
	}
}

// drawAsking draws the line and returns the column of the cursor.
func (m *Model) drawAsking(l *term.Line) int {
	a := &m.asking
	l.Gap(1).Put(m.th.Key, a.label()).Gap(1)
	text := []rune(a.input.Value())
	at := l.Used + term.Width(safe.Line(string(text[:min(a.input.Position(), len(text))])))
	t := safe.Line(string(text))
	if over := at - (l.Max - 2); over > 0 { // the end is what is being written
		more := m.sg.Ellipsis
		t = more + safe.Line(ansi.TruncateLeft(string(t), over+term.Width(more), ""))
		at -= over
	}
	l.Put(term.Plain, t)
	if a.what == askTree {
		m.drawTreeHits(l)
	} else if n := term.Width(a.name); l.Used+n+3 < l.Max {
		l.Gap(l.Max-n-1-l.Used).Put(m.th.Dim, a.name)
	}
	return min(at, l.Max-1)
}

func (a *asking) label() safe.Text {
	switch a.what {
	case askComment:
		return ";"
	case askName:
		return "name"
	}
	return "/"
}

// hintsOfAsking are the keys while a line is being written.
func (m *Model) hintsOfAsking(l *term.Line) {
	switch m.asking.what {
	case askComment:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.Gap(2).Put(m.th.Dim, "a comment on this message; an empty one takes it away")
	case askName:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.Gap(2).Put(m.th.Dim, "an empty name gives the old one back")
	case askTree:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.Gap(2).Put(m.th.Dim, "names, clients, servers, ids, commands")
	}
}
