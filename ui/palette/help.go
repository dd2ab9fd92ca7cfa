package palette

import (
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
)

// NewHelp lists every key, those that hold here first.
func NewHelp(all []Offer, recent *Recent) (*Picker, tea.Cmd) {
	groups := helpGroups(all)
	all = nil
	for _, g := range groups {
		all = append(all, g.entries...)
	}
	p, cmd := newPicker(all, recent)
	p.groups = groups
	return p, cmd
}

// helpGroup is a heading with the keys under it.
type helpGroup struct {
	title   safe.Text
	entries []Offer
}

var keymapGroups = []safe.Text{keymap.Move, keymap.Look, keymap.Act}

// firstKeys is how many keys stand before all others in the help.
const firstKeys = 10

// helpGroups are the keys that hold here: first those of the footer, then the others
// by what they are for; and then those of other places.
func helpGroups(all []Offer) []helpGroup {
	first := helpGroup{title: "FIRST"}
	rest := all[:0:0]
	for _, o := range all {
		if o.Word() != "" && o.Rank < Beside && len(first.entries) < firstKeys {
			first.entries = append(first.entries, o)
		} else {
			rest = append(rest, o)
		}
	}
	all = rest
	out := []helpGroup{first}
	for _, g := range keymapGroups {
		group := helpGroup{title: g}
		for rank := range Elsewhere {
			for _, o := range all {
				if o.Group == g && o.Rank == rank {
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
			if o.Area() == in && o.Rank == Elsewhere {
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
	entry *Offer
	n     int // of the entry among all
}

// helpGrid puts the keys that hold here, and below them all others, into as many columns as
// there is room for, each read from top to bottom. A line without cells parts the two.
func (p *Picker) helpGrid(w int) (grid [][]helpCell, per int) {
	const column = 30 // cells
	per = max(1, min(w/column, 3))
	var here, elsewhere []helpCell
	n := 0
	for k, g := range p.groups {
		in := &here
		if k > len(keymapGroups) {
			in = &elsewhere
		}
		if len(*in) > 0 {
			*in = append(*in, helpCell{})
		}
		*in = append(*in, helpCell{title: g.title})
		for i := range g.entries {
			*in = append(*in, helpCell{entry: &g.entries[i], n: n})
			n++
		}
	}
	grid = append(inColumns(here, per), nil)
	return append(grid, inColumns(elsewhere, per)...), per
}

// inColumns are the lines of cells that stand in columns.
func inColumns(cells []helpCell, per int) [][]helpCell {
	out := make([][]helpCell, (len(cells)+per-1)/per)
	for i, c := range cells {
		line := i % max(len(out), 1)
		out[line] = append(out[line], c)
	}
	return out
}

// drawHelp draws the help: all keys in columns, or those that were looked for.
func (p *Picker) drawHelp(sc *term.Screen, w, height int) []string {
	out := []string{p.drawInput(sc, w, "?", "type to look for a key or what it does")}
	var body []string
	if p.text() != "" {
		body = p.foundLines(sc, w)
	} else {
		body = p.gridLines(sc, w)
	}
	room := max(height-4, 1)
	p.top = max(0, min(p.top, len(body)-room))
	if p.seen = ""; len(body) > room {
		p.seen = safe.Int(p.top+1) + "-" + safe.Int(min(p.top+room, len(body))) + " of " + term.Count(len(body), "line") + "   "
	}
	return append(out, body[p.top:min(p.top+room, len(body))]...)
}

func (p *Picker) gridLines(sc *term.Screen, w int) []string {
	grid, per := p.helpGrid(w)
	first := 0
	var out []string
	for _, row := range grid {
		if row == nil && first == 0 {
			first = len(out) // the end of what holds here
			for _, s := range helpNotes(sc.Glyphs) {
				out = append(out, term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, s).Finish())
			}
		}
		l := term.NewLine(w, sc.Glyphs)
		for i, c := range row {
			p.drawHelpCell(sc, l, c, w/per, i*(w/per))
		}
		out = append(out, l.Finish())
	}
	return out
}

func (p *Picker) drawHelpCell(sc *term.Screen, l *term.Line, c helpCell, w, x int) {
	l.Gap(x - l.Used)
	if c.entry == nil {
		l.Gap(1).Put(sc.Theme.Title, c.title)
		return
	}
	st := term.Plain
	if c.entry.Rank == Elsewhere {
		st = sc.Theme.Dim
	}
	if p.moved && p.at == c.n {
		l.Selected(sc.Theme, true)
		l.Put(sc.Theme.Key, sc.Glyphs.Bar)
		defer func() { l.Under, l.Solo = "", false }()
	} else {
		l.Gap(1)
	}
	l.Cell(sc.Theme.Key, c.entry.Keys, 9).PutMax(st, c.entry.Title, x+w-l.Used)
}

// foundLines draws the keys that were looked for, with where they hold.
func (p *Picker) foundLines(sc *term.Screen, w int) []string {
	var out []string
	for i := range p.items {
		c := &p.items[i]
		st := term.Plain
		if c.Rank == Elsewhere {
			st = sc.Theme.Dim
		}
		l := sc.Row(w, i == p.at, true).Cell(sc.Theme.Key, c.Keys, 9)
		where := c.Area().Name()
		l.PutMax(st, c.Title, w-l.Used-term.Width(where)-2)
		if where != "" {
			l.Gap(w-1-term.Width(where)-l.Used).Put(sc.Theme.Dim, where)
		}
		out = append(out, l.Finish())
	}
	if len(out) == 0 {
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(1).Put(sc.Theme.Dim, "no key is about that").Finish())
	}
	return out
}

func (p *Picker) showChosen(h view.Host) {
	if !p.isHelp() {
		return
	}
	at := p.at
	if p.text() == "" {
		at = p.helpLine(h, p.at)
	}
	room := max(h.Scene().Height-4, 1)
	p.top = max(min(p.top, at), at-room+1)
	if p.at == 0 {
		p.top = 0
	}
}

// eachCell calls yield for every key of the help with its line and column.
func (p *Picker) eachCell(h view.Host, yield func(c helpCell, line, x int)) {
	w := p.Width(h)
	grid, per := p.helpGrid(w)
	notes := 0
	for i, row := range grid {
		if row == nil && notes == 0 {
			notes = len(helpNotes(h.Scene().Glyphs))
		}
		for k, c := range row {
			if c.entry != nil {
				yield(c, i+notes, k*(w/per))
			}
		}
	}
}

func (p *Picker) helpLine(h view.Host, n int) (at int) {
	p.eachCell(h, func(c helpCell, line, _ int) {
		if c.n == n {
			at = line
		}
	})
	return at
}

// helpAt is the key at a place of the help, -1 for none.
func (p *Picker) helpAt(h view.Host, x, y int) (n int) {
	n = -1
	p.eachCell(h, func(c helpCell, line, from int) {
		if line == y && x >= from {
			n = c.n
		}
	})
	return n
}

func helpNotes(sg *term.Glyphs) []safe.Text {
	return []safe.Text{
		"",
		"filter  words, looked for in payloads too; key:value; not ! or ( ); \"two words\"; ~regexp",
		"        is:error  !method:ping  tool:a or tool:b  lat>500ms  size>1k  status:4xx  after:10s",
		"        jq:'.params.name'  header:mcp-session-id  finding:any; tab completes, docs/filters.md has all",
		"signs   " + sg.Req + " request of the client  " + sg.Ans + " of the server  " + sg.ReqNote + " " + sg.AnsNote + " notification  " + sg.Band + " not protocol",
		"        " + sg.Ok + " response  " + sg.Err + " failed  " + sg.Warn + " odd  " + sg.Pend + " waiting  " + sg.Cancel + " cancelled",
		"        before the number " + sg.Err + " " + sg.Warn + " " + sg.Note + " a finding: error, warning, note  " + sg.Dot + " evidence of one",
		"#       is the number of the frame in the recording; Shift+drag selects text",
	}
}
