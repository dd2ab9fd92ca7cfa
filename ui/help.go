package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/term"
)

// openHelp lists every key, those that hold here first.
func (m *Model) openHelp() tea.Cmd {
	var all []offer
	for _, g := range m.helpGroups() {
		all = append(all, g.entries...)
	}
	p, cmd := newPicker(all)
	m.over = overlay{kind: overHelp, pick: p, entry: p}
	return cmd
}

// helpGroup is a heading with the keys under it.
type helpGroup struct {
	title   safe.Text
	entries []offer
	here    bool
}

// helpGroups are the keys that hold here by what they are for, and then the
// others by where they hold.
func (m *Model) helpGroups() []helpGroup {
	var all []offer
	own := m.own()
	for _, c := range m.everyCommand() {
		if c.Title = c.Help(); c.Title != "" {
			all = append(all, offer{Command: c, keys: m.showKeys(&c), rank: m.rank(&c, own)})
		}
	}
	var out []helpGroup
	for _, g := range []safe.Text{keymap.Move, keymap.Look, keymap.Act} {
		group := helpGroup{title: g, here: true}
		for rank := range 3 {
			for _, o := range all {
				if o.Group == g && o.rank == rank {
					group.entries = append(group.entries, o)
				}
			}
		}
		out = append(out, group)
	}
	for _, in := range keymap.Areas() {
		group := helpGroup{title: "ELSEWHERE: " + in.Name()}
		if in == keymap.Everywhere {
			group.title = "ELSEWHERE: with the messages"
		}
		for _, o := range all {
			if o.Area() == in && o.rank == 3 {
				group.entries = append(group.entries, o)
			}
		}
		if len(group.entries) > 0 {
			out = append(out, group)
		}
	}
	return out
}

// helpCell is one cell of the help: a heading, or a key.
type helpCell struct {
	title safe.Text
	entry *offer
	n     int // of the entry among all
}

// helpGrid puts groups into as many columns as there is room for.
func (m *Model) helpGrid(w int) (grid [][]helpCell, per int) {
	per = 1
	if w >= 90 {
		per = 3
	} else if w >= 62 {
		per = 2
	}
	n := 0
	cells := func(g *helpGroup) []helpCell {
		out := []helpCell{{title: g.title}}
		for i := range g.entries {
			out = append(out, helpCell{entry: &g.entries[i], n: n})
			n++
		}
		return out
	}
	groups := m.helpGroups()
	var columns [][]helpCell
	for i := range 3 {
		columns = append(columns, cells(&groups[i]))
	}
	switch per {
	case 2:
		columns = [][]helpCell{columns[0], append(append(columns[1], helpCell{}), columns[2]...)}
	case 1:
		columns = [][]helpCell{append(append(columns[0], columns[1]...), columns[2]...)}
	}
	grid = append(grid, rowsOf(columns)...)
	for i := range groups[3:] {
		all := cells(&groups[3+i])
		grid = append(grid, nil, all[:1])
		rest, size := all[1:], (len(all)-1+per-1)/per
		var columns [][]helpCell
		for len(rest) > 0 {
			k := min(size, len(rest))
			columns = append(columns, rest[:k])
			rest = rest[k:]
		}
		grid = append(grid, rowsOf(columns)...)
	}
	return grid, per
}

func rowsOf(columns [][]helpCell) [][]helpCell {
	n := 0
	for _, c := range columns {
		n = max(n, len(c))
	}
	out := make([][]helpCell, n)
	for i := range out {
		for _, c := range columns {
			if i < len(c) {
				out[i] = append(out[i], c[i])
			} else {
				out[i] = append(out[i], helpCell{})
			}
		}
	}
	return out
}

// helpLines draws the help: all keys in columns, or those that were looked for.
func (m *Model) helpLines(w int) []string {
	p := m.over.pick
	out := []string{m.drawInput(w, "?", "type to look for a key or what it does")}
	var body []string
	if p.text() != "" {
		body = m.foundLines(w)
	} else {
		body = m.gridLines(w)
	}
	room := max(m.h-4, 1)
	m.over.top = max(0, min(m.over.top, len(body)-room))
	return append(out, body[m.over.top:min(m.over.top+room, len(body))]...)
}

func (m *Model) gridLines(w int) []string {
	grid, per := m.helpGrid(w)
	first := 0
	var out []string
	for _, row := range grid {
		if row == nil && first == 0 {
			first = len(out) // the end of what holds here
			for _, s := range m.helpNotes() {
				out = append(out, term.NewLine(w, &m.sg).Gap(1).Put(m.th.Dim, s).Finish())
			}
		}
		l := term.NewLine(w, &m.sg)
		for i, c := range row {
			m.drawHelpCell(l, c, w/per, i*(w/per))
		}
		out = append(out, l.Finish())
	}
	return out
}

func (m *Model) drawHelpCell(l *term.Line, c helpCell, w, x int) {
	l.Gap(x - l.Used)
	if c.entry == nil {
		l.Gap(1).Put(m.th.Title, c.title)
		return
	}
	p := m.over.pick
	st := term.Plain
	if c.entry.rank == 3 {
		st = m.th.Dim
	}
	if p.moved && p.at == c.n {
		l.Selected(&m.th, true)
		l.Put(m.th.Key, m.sg.Bar)
		defer func() { l.Under, l.Solo = "", false }()
	} else {
		l.Gap(1)
	}
	l.Cell(m.th.Key, c.entry.keys, 9).PutMax(st, c.entry.Title, x+w-l.Used)
}

// foundLines draws the keys that were looked for, with where they hold.
func (m *Model) foundLines(w int) []string {
	p := m.over.pick
	var out []string
	for i := range p.items {
		c := &p.items[i]
		l := term.NewLine(w, &m.sg)
		st := term.Plain
		if c.rank == 3 {
			st = m.th.Dim
		}
		if i == p.at {
			l.Selected(&m.th, true)
			l.Put(m.th.Key, m.sg.Bar)
		}
		l.Gap(1-l.Used).Cell(m.th.Key, c.keys, 9)
		where := c.Area().Name()
		l.PutMax(st, c.Title, w-l.Used-term.Width(where)-2)
		if where != "" {
			l.Gap(w-1-term.Width(where)-l.Used).Put(m.th.Dim, where)
		}
		out = append(out, l.Finish())
	}
	if len(out) == 0 {
		out = append(out, term.NewLine(w, &m.sg).Gap(1).Put(m.th.Dim, "no key is about that").Finish())
	}
	return out
}

// showChosen scrolls the help to what is chosen.
func (m *Model) showChosen() {
	if m.over.kind != overHelp {
		return
	}
	p := m.over.pick
	at := p.at
	if p.text() == "" {
		at = m.helpLine(p.at)
	}
	room := max(m.h-4, 1)
	m.over.top = max(min(m.over.top, at), at-room+1)
	if p.at == 0 {
		m.over.top = 0
	}
}

// eachCell calls yield for every key of the help with its line and column.
func (m *Model) eachCell(yield func(c helpCell, line, x int)) {
	w := m.helpWidth()
	grid, per := m.helpGrid(w)
	notes := 0
	for i, row := range grid {
		if row == nil && notes == 0 {
			notes = len(m.helpNotes())
		}
		for k, c := range row {
			if c.entry != nil {
				yield(c, i+notes, k*(w/per))
			}
		}
	}
}

// helpLine is the line on which the n-th key stands.
func (m *Model) helpLine(n int) (at int) {
	m.eachCell(func(c helpCell, line, _ int) {
		if c.n == n {
			at = line
		}
	})
	return at
}

// helpAt is the key at a place of the help, -1 for none.
func (m *Model) helpAt(x, y int) (n int) {
	n = -1
	m.eachCell(func(c helpCell, line, from int) {
		if line == y && x >= from {
			n = c.n
		}
	})
	return n
}

func (m *Model) helpWidth() int { return min(m.w, 116) - 4 }

// helpNote is what the frame of the help says.
func (m *Model) helpNote() safe.Text {
	if m.over.pick.text() != "" || m.over.pick.moved {
		return "enter does it, esc closes"
	}
	return "up down choose, esc closes"
}

// showKeys names the keys of a command in signs the terminal has.
func (m *Model) showKeys(c *keymap.Command) safe.Text {
	show := c.Key.Help().Key
	if m.opts.ASCII {
		show = strings.NewReplacer("← →", "<- ->", " ↓ ↑", "").Replace(show)
	}
	return safe.Line(show)
}

// helpNotes are about what is no key.
func (m *Model) helpNotes() []safe.Text {
	return []safe.Text{
		"",
		"filter  words, looked for in payloads too; key:value; not ! or ( ); \"two words\"; ~regexp",
		"        is:error  !method:ping  tool:a or tool:b  lat>500ms  size>1k  status:4xx  after:10s",
		"        jq:'.params.name'  header:mcp-session-id  finding:any; tab completes, docs/filters.md has all",
		"signs   " + m.sg.Req + " request of the client  " + m.sg.Ans + " of the server  " + m.sg.ReqNote + " " + m.sg.AnsNote + " notification  " + m.sg.Band + " not protocol",
		"        " + m.sg.Ok + " answered  " + m.sg.Err + " failed  " + m.sg.Warn + " odd  " + m.sg.Pend + " waiting  " + m.sg.Cancel + " cancelled",
		"        before the number " + m.sg.Err + " " + m.sg.Warn + " " + m.sg.Note + " a finding: error, warning, note  " + m.sg.Dot + " evidence of one",
		"#       is the number of the frame in the recording; Shift+drag selects text",
	}
}
