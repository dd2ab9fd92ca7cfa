// Package palette has what lists commands: the palette, and the help, which is
// searched and carries out what it lists.
package palette

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/intercept/gate"
	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/session/words"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
)

// verbs are the commands that take an argument.
func verbs() []Offer {
	verb := func(title, keys safe.Text, write string) Offer {
		return Offer{Command: keymap.Command{Title: title}, Keys: keys, write: write, Rank: There}
	}
	return []Offer{
		verb("goto N", ":N", "goto "), verb("filter …", "/", "filter "), verb("session NAME or ID", "", "session "),
		verb("fault NAME", "", "fault "), verb("theme NAME", "", "theme "),
	}
}

// now is what a verb offers with its argument.
func now(title safe.Text, run func() tea.Cmd) Offer {
	return Offer{Command: keymap.Command{Title: title, Run: run}}
}

// New asks what to do: all commands, what belongs here first.
func New(all []Offer, themes []string, recent *Recent) (*Picker, tea.Cmd) {
	here := slices.Clone(all)
	// Moving is what nobody needs a palette for.
	slices.SortStableFunc(here, func(a, b Offer) int { return a.order() - b.order() })
	at := 0
	for at < len(here) && here[at].Rank == Here {
		at++
	}
	p, cmd := newPicker(slices.Concat(here[:at], verbs(), here[at:]), recent)
	p.themes = themes
	return p, cmd
}

func (c *Offer) order() int {
	n := 2 * c.Rank
	if c.Rank > 0 && c.Group == keymap.Move {
		n++
	}
	return n
}

// offerCommands lists what fits the line: commands, or for a verb what its
// argument can be.
func (p *Picker) offerCommands(h view.Host) {
	text := strings.TrimLeft(p.text(), " :")
	verb, arg, ok := strings.Cut(text, " ")
	if _, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil {
		verb, arg, ok = "goto", text, true
	}
	arg = strings.TrimSpace(arg)
	if !ok {
		p.find(text)
		return
	}
	switch verb {
	case "goto":
		p.items = gotoCommand(h, arg)
	case "filter":
		p.items = filterCommand(h, arg)
	case "theme":
		p.items = themeCommands(h, p.themes, arg)
	case "fault":
		p.items = faultCommands(h, arg)
	case "search":
		p.items = []Offer{searchOffer(h, arg)}
	case "session":
		p.items = best(places(h), arg, p.recent)
	default:
		p.find(text)
		return
	}
	p.at, p.top, p.moved = 0, 0, false
}

// completeVerb writes the chosen verb, ready for its argument.
func (p *Picker) completeVerb(h view.Host) tea.Cmd {
	c, ok := p.Chosen()
	if !ok || c.write == "" || p.isHelp() {
		return nil
	}
	p.input.Write(c.write)
	p.offerCommands(h)
	return nil
}

func gotoCommand(h view.Host, arg string) []Offer {
	n, err := strconv.ParseUint(strings.TrimPrefix(arg, "#"), 10, 32)
	if err != nil {
		return nil
	}
	return []Offer{now("go to #"+safe.Int(n), func() tea.Cmd { return h.Do(view.Goto{Frame: n}) })}
}

func filterCommand(h view.Host, arg string) []Offer {
	if _, err := lang.Parse(arg); err != nil {
		wrong := now("filter: "+safe.Line(err.Text), func() tea.Cmd { return h.Complain(safe.Line(err.Text)) })
		wrong.Rank = Elsewhere
		return []Offer{wrong}
	}
	title := "filter: " + safe.Line(arg)
	if arg == "" {
		title = "filter: show everything"
	}
	return []Offer{now(title, func() tea.Cmd { return h.Do(view.FilterBy{Text: arg}) })}
}

func searchOffer(h view.Host, text string) Offer {
	return now("search all recordings for “"+safe.Line(text)+"”", func() tea.Cmd { return h.Do(view.Search{Text: text}) })
}

func themeCommands(h view.Host, themes []string, arg string) (out []Offer) {
	for _, name := range themes {
		if strings.HasPrefix(name, arg) {
			out = append(out, now("theme "+safe.Line(name), func() tea.Cmd { return h.Do(view.SetTheme{Name: name}) }))
		}
	}
	return out
}

// faultCommands offers the fault of that name, those that begin so, and those whose
// description has the words.
func faultCommands(h view.Host, arg string) []Offer {
	name, value, _ := strings.Cut(arg, " ")
	var named, begun, about []Offer
	for _, p := range gate.Presets() {
		line, uses, in := p.Name, p.Usual, &about
		switch {
		case p.Name == name:
			line, uses, in = arg, cmp.Or(value, p.Usual), &named
		case strings.HasPrefix(p.Name, name):
			in = &begun
		case !words.Contains(p.Help, arg):
			continue
		}
		title := safe.Line("fault " + p.Name + ": " + p.Help)
		one := now(title, func() tea.Cmd { return h.Do(view.Break{Line: line}) })
		one.Keys = safe.Line(uses)
		*in = append(*in, one)
	}
	return slices.Concat(named, begun, about)
}

func placeNote(r *library.Recording) safe.Text {
	if r.Live {
		return "live"
	}
	return safe.Time(r.Started, "01-02 15:04")
}

// sessionTitle names a session: its client, its server and what tells it from
// others.
func sessionTitle(h view.Host, r *library.Recording, s *session.Session) safe.Text {
	client := cmp.Or(safe.Line(s.Client.Name), library.NoName)
	if r.Session(s.Index) != nil {
		client = r.SessionName(s.Index)
	}
	server := cmp.Or(safe.Line(s.Server.Name), r.Name())
	return client + " " + h.Scene().Glyphs.Crumb + " " + server + safe.Line(strings.TrimRight("  "+s.ID, " "))
}

// drawPalette draws the palette: the line, and what fits it.
func (p *Picker) drawPalette(sc *term.Screen, w, height int) []string {
	th, sg := sc.Theme, sc.Glyphs
	rule := term.NewLine(w, sg).Fill(th.Frame, sg.H, w).Finish()
	sign, empty := safe.Text(":"), safe.Text("what to do: words in any order, or their beginnings")
	if p.anything {
		sign, empty = sg.Crumb, "session, client, server, tool, finding, #frame, view, command"
	}
	out := []string{p.drawInput(sc, w, sign, empty), rule}
	n := max(1, min(height-6, 14))
	p.top = term.Reveal(p.top, p.at, n, len(p.items))
	t := p.table(sc, w).Fit(w, min(n, len(p.items)-p.top), func(i int) *Offer { return &p.items[p.top+i] })
	for i := p.top; i < min(p.top+n, len(p.items)); i++ {
		out = append(out, t.Row(&p.items[i], i == p.at, true))
	}
	if len(p.items) == 0 {
		out = append(out, term.NewLine(w, sg).Gap(2).Put(th.Dim, "nothing fits; esc closes").Finish())
	}
	return append(out, term.Blanks(n+2-len(out), w)...)
}

// table is the columns of what fits the line.
func (p *Picker) table(sc *term.Screen, w int) *term.Table[*Offer] {
	th := sc.Theme
	return &term.Table[*Offer]{Screen: sc, Columns: []term.Column[*Offer]{
		{Max: 11, Cell: func(c *Offer) term.Seg {
			if p.anything {
				return term.S(th.Dim, cmp.Or(c.what, "command"))
			}
			return term.S(th.Dim, c.what)
		}},
		{Min: 20, Flex: 1, Gap: 1, Cell: func(c *Offer) term.Seg {
			if c.Rank == Elsewhere {
				return term.S(th.Dim, c.Title)
			}
			return term.S(term.Plain, c.Title)
		}},
		{Rank: 1, Max: 24, Cell: func(c *Offer) term.Seg {
			if c.Rank < Beside || c.ID == "" {
				return term.Seg{}
			}
			return term.S(th.Dim, c.Area().Name())
		}},
		{Max: w / 3, Right: true, Cell: func(c *Offer) term.Seg { return term.S(th.Key, c.Keys) }},
	}}
}
