package ui

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	lang "midwire/session/filter"
	"midwire/session/safe"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/query"
	"midwire/ui/term"
)

const maxPlaces = 2000 // sessions that the palette looks through

// verbs are the commands that take an argument.
func verbs() []offer {
	verb := func(title, keys safe.Text, write string) offer {
		return offer{Command: keymap.Command{Title: title}, keys: keys, write: write, rank: 1}
	}
	return []offer{
		verb("goto N", ":N", "goto "), verb("filter …", "/", "filter "), verb("session NAME or ID", "", "session "),
		verb("theme dark, light, auto", "", "theme "), verb("mouse on, off", "alt+m", "mouse "),
	}
}

// now is what a verb offers with its argument.
func now(title safe.Text, run func() tea.Cmd) offer {
	return offer{Command: keymap.Command{Title: title, Run: run}}
}

// openPalette asks what to do.
func (m *Model) openPalette() tea.Cmd {
	here := m.offers()
	// Moving is what nobody needs a palette for.
	slices.SortStableFunc(here, func(a, b offer) int { return a.order() - b.order() })
	at := 0
	for at < len(here) && here[at].rank == 0 {
		at++
	}
	all := append(append(append([]offer{}, here[:at]...), verbs()...), here[at:]...)
	p, cmd := newPicker(all)
	m.over = overlay{kind: overPalette, pick: p, entry: p}
	return cmd
}

func (c *offer) order() int {
	n := 2 * c.rank
	if c.rank > 0 && c.Group == keymap.Move {
		n++
	}
	return n
}

// offerCommands lists what fits the line: commands, or for a verb what its
// argument can be.
func (m *Model) offerCommands() {
	p := m.over.pick
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
		p.items = m.gotoCommand(arg)
	case "filter":
		p.items = m.filterCommand(arg)
	case "theme":
		p.items = m.themeCommands(arg)
	case "mouse":
		p.items = m.mouseCommands(arg)
	case "session":
		p.items = m.placeCommands(arg)
	default:
		p.find(text)
		return
	}
	p.at, p.top, p.moved = 0, 0, false
}

// completeVerb writes the chosen verb, ready for its argument.
func (m *Model) completeVerb() tea.Cmd {
	p := m.over.pick
	c, ok := p.chosen()
	if !ok || c.write == "" || m.over.kind != overPalette {
		return nil
	}
	p.input.SetValue(c.write)
	p.input.CursorEnd()
	m.offerCommands()
	return nil
}

func (m *Model) gotoCommand(arg string) []offer {
	n, err := strconv.ParseUint(strings.TrimPrefix(arg, "#"), 10, 32)
	if err != nil {
		return nil
	}
	return []offer{now("go to #"+safe.Line(strconv.FormatUint(n, 10)), func() tea.Cmd { return m.gotoFrame(n) })}
}

func (m *Model) gotoFrame(n uint64) tea.Cmd {
	r := m.list.Rec
	switch {
	case r == nil || !r.Loaded():
		return m.complain("no recording is shown; choose one among the sessions first")
	case r.Frame(n) == nil:
		return m.complain("there is no #" + safe.Line(strconv.FormatUint(n, 10)) + "; the last one is #" + safe.Line(strconv.FormatUint(uint64(r.Frames[len(r.Frames)-1].N), 10)))
	}
	return m.Jump(r, n)
}

func (m *Model) filterCommand(arg string) []offer {
	if _, err := lang.Parse(arg, m.filter.Saved); err != nil {
		wrong := now("filter: "+safe.Line(err.Text), func() tea.Cmd { return m.complain(safe.Line(err.Text)) })
		wrong.rank = 3
		return []offer{wrong}
	}
	title := "filter: " + safe.Line(arg)
	if arg == "" {
		title = "filter: show everything"
	}
	return []offer{now(title, func() tea.Cmd { return m.filterBy(arg) })}
}

// filterBy shows the messages that a filter keeps. On a view of what the list
// shows it filters that; from other views esc comes back.
func (m *Model) filterBy(text string) tea.Cmd {
	if why := m.whyNotFilter(); why != "" {
		return m.complain(why)
	}
	if m.view == nil {
		m.stay()
		m.focusPane(paneList)
	} else if !m.view.Area().OfList() {
		m.leave()
		m.rearrange()
		m.focusPane(paneList)
	}
	m.filter.write(m, text)
	if text == "" {
		return nil
	}
	return m.filter.Use(text)
}

func (m *Model) themeCommands(arg string) (out []offer) {
	for _, name := range []string{"dark", "light", "auto"} {
		if strings.HasPrefix(name, arg) {
			out = append(out, now("theme "+safe.Line(name), func() tea.Cmd { return m.wear(name) }))
		}
	}
	return out
}

// wear changes the theme.
func (m *Model) wear(name string) tea.Cmd {
	m.opts.Theme = name
	if name == "auto" {
		return tea.RequestBackgroundColor
	}
	m.dark = name == "dark"
	m.dress()
	if m.bare {
		return m.say("no theme has colours while NO_COLOR is set")
	}
	return nil
}

func (m *Model) mouseCommands(arg string) (out []offer) {
	for _, name := range []string{"on", "off"} {
		if strings.HasPrefix(name, arg) {
			out = append(out, now("mouse "+safe.Line(name), func() tea.Cmd {
				m.noMouse = name == "on" // the key turns it round
				return m.toggleMouse()
			}))
		}
	}
	return out
}

// placeCommands lists the recordings and sessions that have the text in their
// names or ids.
func (m *Model) placeCommands(arg string) (out []offer) {
	want := strings.ToLower(arg)
	looked := 0
	for i := len(m.recs) - 1; i >= 0; i-- {
		r := m.recs[i]
		if query.Contains(r.Label+" "+r.CalledName+" "+r.ID, want) {
			whole := library.Scope{Rec: r, Session: library.AllSessions}
			out = append(out, now(r.Name(), func() tea.Cmd { return m.showScope(whole) }))
			out[len(out)-1].keys = placeNote(r)
		}
		for _, s := range r.Tracker.Sessions() {
			if looked++; looked > maxPlaces || len(r.Tracker.Sessions()) < 2 && s.ID == "" {
				break
			}
			if name := s.ID + " " + query.PeerName(s.Client) + " " + query.PeerName(s.Server); query.Contains(name, want) {
				one := library.Scope{Rec: r, Session: s.Index}
				out = append(out, now(m.sessionTitle(r, s), func() tea.Cmd { return m.showScope(one) }))
			}
		}
	}
	return out
}

func placeNote(r *library.Recording) safe.Text {
	if r.Live {
		return "live"
	}
	return safe.Time(r.Started, "01-02 15:04")
}

func (m *Model) sessionTitle(r *library.Recording, s *session.Session) safe.Text {
	name := cmp.Or(s.ID, "session "+strconv.Itoa(s.Index+1))
	return r.Name() + " " + m.sg.Crumb + " " + safe.Line(strings.TrimSpace(name+"  "+s.Client.Name))
}

// showScope shows a recording or session, loading it if need be.
func (m *Model) showScope(sc library.Scope) tea.Cmd {
	m.toMessages()
	m.stay()
	m.touched = true
	m.show(sc)
	m.sproutTree()
	m.rearrange()
	if r := sc.Rec; !r.Opened {
		return m.openNode()
	}
	m.focusPane(paneList)
	return nil
}

// paletteLines draws the palette: the line, and what fits it.
func (m *Model) paletteLines(w int) []string {
	p := m.over.pick
	out := []string{m.drawInput(w, ":", "a command, or its beginning"), term.NewLine(w, &m.sg).Fill(m.th.Frame, m.sg.H, w).Finish()}
	n := max(1, min(m.h-6, 14))
	p.top = max(0, min(max(min(p.top, p.at), p.at-n+1), len(p.items)-n))
	for i := p.top; i < min(p.top+n, len(p.items)); i++ {
		c := p.items[i]
		l := term.NewLine(w, &m.sg)
		if i == p.at {
			l.Selected(&m.th, true)
			l.Put(m.th.Key, m.sg.Bar)
		}
		l.Gap(2 - l.Used)
		st := term.Plain
		note, where := c.keys, c.Area().Name()
		if c.rank == 3 {
			st = m.th.Dim
		}
		if c.rank < 2 || c.ID == "" || w < 50 {
			where = ""
		}
		room := w - term.Width(note) - 2
		if where != "" {
			room -= term.Width(where) + 2
		}
		l.PutMax(st, c.Title, room-l.Used).Gap(room - l.Used)
		if where != "" {
			l.Put(m.th.Dim, where).Gap(2)
		}
		l.Gap(1).Put(m.th.Key, note)
		out = append(out, l.Finish())
	}
	if len(p.items) == 0 {
		out = append(out, term.NewLine(w, &m.sg).Gap(2).Put(m.th.Dim, "no such command; esc closes").Finish())
	}
	return append(out, term.Blanks(n+2-len(out), w)...)
}
