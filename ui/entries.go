package ui

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

type promptFor uint8

const (
	promptComment promptFor = iota // on the selected message
	promptName                     // of a recording or a session
	promptSearch                   // in all recordings
)

// prompt is a line at the bottom in which the user writes something short.
type prompt struct {
	what  promptFor
	input term.Input
	rec   *library.Recording // what the text is about
	of    notes.Key
	row   int       // of a comment
	name  safe.Text // the same for people
}

func (p *prompt) begin(m *Model, text string) tea.Cmd {
	m.entry = p
	p.input = term.NewInput(400)
	p.input.Write(text)
	return p.input.Focus()
}

// key edits the line. Enter keeps what it says, esc forgets it.
func (p *prompt) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "enter":
		m.endEntry()
		return nil
	case "esc":
		m.entry = nil
		return nil
	case "up", "down", "tab", "shift+tab":
		return nil
	}
	return p.update(m, k)
}

func (p *prompt) update(_ *Model, msg tea.Msg) tea.Cmd { return p.input.Take(msg) }

func (p *prompt) end(m *Model) {
	if p.what == promptSearch {
		m.search(p.input.Value())
		return
	}
	m.note(p.rec, p.of, p.input.Value())
	if p.what == promptComment && m.list.Rec == p.rec {
		m.list.Changed([]int{p.row})
	}
}

func (p *prompt) draw(l *term.Line, m *Model) {
	l.Gap(1).Put(m.theme.Key, p.label()).Gap(1)
	p.input.Draw(l, l.Max-l.Used-1)
	if n := term.Width(p.name); l.Used+n+3 < l.Max {
		l.Gap(l.Max-n-1-l.Used).Put(m.theme.Dim, p.name)
	}
}

func (p *prompt) label() safe.Text {
	return [...]safe.Text{promptComment: ";", promptName: "name", promptSearch: "search"}[p.what]
}

func (p *prompt) hints() ([][2]safe.Text, safe.Text) {
	keys := [][2]safe.Text{{"enter", "apply"}, {"esc", "cancel"}}
	if p.what == promptSearch {
		keys = [][2]safe.Text{{"enter", "search"}, {"esc", "cancel"}}
	}
	return keys, [...]safe.Text{
		promptComment: "a comment on this message; an empty one takes it away",
		promptName:    "an empty name gives the old one back",
		promptSearch:  "a text in any message of any recording",
	}[p.what]
}
