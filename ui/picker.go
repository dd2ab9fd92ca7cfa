package ui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/query"
	"midwire/ui/term"
)

// offer is a line of the palette or the help: a command, or the beginning of
// one.
type offer struct {
	keymap.Command
	keys  safe.Text
	rank  int    // 0 belongs to where one is, 1 holds there too, 2 on the same screen, 3 elsewhere
	write string // instead of carrying something out: what the line becomes
}

// picker is a line to type in and what fits it, in the palette and the help.
type picker struct {
	input textinput.Model
	all   []offer
	items []offer
	at    int
	top   int
	moved bool // something was chosen by hand
}

func newPicker(all []offer) (*picker, tea.Cmd) {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 400
	p := &picker{input: in, all: all, items: all}
	return p, p.input.Focus()
}

func (p *picker) text() string { return p.input.Value() }

// move chooses another line; n lines further, round the ends if it is one.
func (p *picker) move(n int) {
	if len(p.items) == 0 {
		return
	}
	switch {
	case !p.moved && n > 0:
		n--
	case n == 1 && p.at == len(p.items)-1:
		n = -p.at
	case n == -1 && p.at == 0:
		n = len(p.items) - 1
	}
	p.moved = true
	p.at = max(0, min(p.at+n, len(p.items)-1))
}

// chosen is what enter does; ok is false when nothing fits.
func (p *picker) chosen() (offer, bool) {
	if p.at < 0 || p.at >= len(p.items) {
		return offer{}, false
	}
	return p.items[p.at], true
}

// find keeps what fits the text, the best first, and what makes no sense here
// last.
func (p *picker) find(text string) {
	p.at, p.top, p.moved = 0, 0, false
	if text == "" {
		p.items = p.all
		return
	}
	p.items = nil
	for _, c := range p.all {
		if string(c.keys) == text {
			p.items = append(p.items, c)
		}
	}
	for _, hit := range fuzzy.FindFrom(text, commandNames(p.all)) {
		// Letters that are strewn over a line are no match.
		if c := p.all[hit.Index]; hit.Score > -len(c.Title) && string(c.keys) != text {
			p.items = append(p.items, c)
		}
	}
	far := func(c offer) int {
		if c.rank == 3 {
			return 2
		}
		if query.Contains(string(c.Title), strings.ToLower(text)) || string(c.keys) == text {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(p.items, func(a, b offer) int { return far(a) - far(b) })
}

type commandNames []offer

func (c commandNames) String(i int) string { return string(c[i].Title + " " + c[i].Area().Name()) }
func (c commandNames) Len() int            { return len(c) }

func (p *picker) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	page := max(m.h/2, 1)
	switch k.String() {
	case "ctrl+c":
		m.over = overlay{}
		return m.quit(true)
	case "esc":
		m.over = overlay{}
	case "up", "ctrl+p", "shift+tab":
		p.move(-1)
		m.showChosen()
	case "down", "ctrl+n":
		p.move(1)
		m.showChosen()
	case "pgup", "ctrl+b":
		m.turnPage(-page)
	case "pgdown", "ctrl+f":
		m.turnPage(page)
	case "tab":
		return m.completeVerb()
	case "enter":
		return m.pick()
	default:
		return p.update(m, k)
	}
	return nil
}

func (m *Model) turnPage(n int) {
	if m.over.kind == overHelp && !m.over.pick.moved && m.over.pick.text() == "" {
		m.over.top = max(0, m.over.top+n)
		return
	}
	m.over.pick.move(n)
	m.showChosen()
}

func (p *picker) update(m *Model, msg tea.Msg) tea.Cmd {
	old := p.text()
	var cmd tea.Cmd
	if p.input, cmd = p.input.Update(msg); p.text() != old {
		m.over.top = 0
		if m.over.kind == overPalette {
			m.offerCommands()
		} else {
			p.find(p.text())
		}
	}
	return cmd
}

// pick does what is chosen.
func (m *Model) pick() tea.Cmd {
	p := m.over.pick
	c, ok := p.chosen()
	switch {
	case !ok:
		return nil
	case m.over.kind == overHelp && p.text() == "" && !p.moved:
		m.over = overlay{}
		return nil
	case c.write != "":
		return m.completeVerb()
	}
	return m.execute(c)
}

// clickPick does what is under the pointer, or closes the box when that is
// outside of it.
func (m *Model) clickPick(x, y int) tea.Cmd {
	p := m.over.pick
	if !m.over.at.Has(x, y) {
		m.over = overlay{}
		return nil
	}
	x, y = x-m.over.at.X-1, y-m.over.at.Y-2 // below the line to type in
	n := -1
	switch {
	case m.over.kind == overPalette:
		n = p.top + y - 1
	case p.text() != "":
		n = m.over.top + y
	default:
		n = m.helpAt(x, m.over.top+y)
	}
	if y < 0 || n < 0 || n >= len(p.items) {
		return nil
	}
	p.at, p.moved = n, true
	return m.pick()
}

// drawInput draws the line to type in, and notes where the cursor is.
func (m *Model) drawInput(w int, sign, empty safe.Text) string {
	p := m.over.pick
	l := term.NewLine(w, &m.sg).Gap(1).Put(m.th.Key, sign).Gap(1)
	runes := []rune(p.text())
	m.over.cursor = min(l.Used+term.Width(safe.Line(string(runes[:min(p.input.Position(), len(runes))]))), w-1)
	if p.text() == "" {
		return l.Put(m.th.Dim, empty).Finish()
	}
	return l.Put(term.Plain, safe.Line(p.text())).Finish()
}
