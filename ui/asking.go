package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"midwire/session/notes"
	"midwire/session/safe"
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
	rec    *recording // what the text is about
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
	if what == askComment && a.rec == m.list.rec {
		m.list.changed([]int{a.row})
	}
}

// drawAsking draws the line and returns the column of the cursor.
func (m *Model) drawAsking(l *line) int {
	a := &m.asking
	l.gap(1).put(m.th.key, a.label()).gap(1)
	text := []rune(a.input.Value())
	at := l.w + width(safe.Line(string(text[:min(a.input.Position(), len(text))])))
	t := safe.Line(string(text))
	if over := at - (l.max - 2); over > 0 { // the end is what is being written
		more := safe.Text(m.sg.ellipsis)
		t = more + safe.Text(ansi.TruncateLeft(string(t), over+width(more), ""))
		at -= over
	}
	l.put(plain, t)
	if a.what == askTree {
		m.drawTreeHits(l)
	} else if n := width(a.name); l.w+n+3 < l.max {
		l.gap(l.max-n-1-l.w).put(m.th.dim, a.name)
	}
	return min(at, l.max-1)
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
func (m *Model) hintsOfAsking(l *line) {
	switch m.asking.what {
	case askComment:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.gap(2).put(m.th.dim, "a comment on this message; an empty one takes it away")
	case askName:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.gap(2).put(m.th.dim, "an empty name gives the old one back")
	case askTree:
		m.hint(l, "enter", "keep").hint(l, "esc", "undo")
		l.gap(2).put(m.th.dim, "names, clients, servers, ids, commands")
	}
}
