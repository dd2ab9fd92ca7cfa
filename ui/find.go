package ui

import (
	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/term"
)

// find is the search inside the detail pane. Its hits are those in the document
// shown; it stays when another row or tab is shown, until esc.
type find struct {
	input  textinput.Model
	before string
}

func newFind() find {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 200
	return find{input: in}
}

func (f *find) edit(m *Model, text string) tea.Cmd {
	m.entry, f.before = f, text
	f.input.SetValue(text)
	f.input.CursorEnd()
	return f.input.Focus()
}

// key edits the text; the pane follows with every key.
func (f *find) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return m.quit(true)
	case "enter":
		m.endEntry()
		return nil
	case "esc":
		m.endEntry()
		m.detail.Look(f.before)
		return nil
	case "up", "down":
		return nil
	}
	return f.update(m, k)
}

func (f *find) update(m *Model, msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	if v := f.input.Value(); v != m.detail.Search.Text {
		m.detail.Look(v)
	}
	return cmd
}

func (f *find) hints() ([][2]safe.Text, safe.Text) {
	return [][2]safe.Text{{"enter", "keep"}, {"esc", "undo"}}, ""
}

// draw writes the search line; it returns the column of the cursor, -1 for
// none.
func (f *find) draw(l *term.Line, m *Model) int {
	s := &m.detail.Search
	l.Gap(1).Put(m.th.Key, "find ")
	text := []rune(s.Text)
	at := l.Used + term.Width(safe.Line(string(text[:min(f.input.Position(), len(text))])))
	l.PutMax(term.Plain, safe.Line(s.Text), l.Max-26-l.Used).Gap(3)
	switch {
	case s.Text == "":
		l.Put(m.th.Dim, "a text in this tab")
	case len(s.Hits) == 0:
		l.Put(m.th.Warn, "not in this tab")
	default:
		l.Put(m.th.Dim, term.Number(s.At+1)+" of "+term.Number(len(s.Hits)))
	}
	if m.entry != f {
		const esc = "n N next, previous   esc clears "
		if l.Used+len(esc)+2 <= l.Max {
			l.Gap(l.Max-len(esc)-l.Used).Put(m.th.Dim, esc)
		}
		return -1
	}
	return min(at, l.Max-1)
}
