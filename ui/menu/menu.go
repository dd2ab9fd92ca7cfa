// Package menu is a box of choices: each has a key of its own, and a cursor
// goes over them.
package menu

import (
	"net/url"

	tea "charm.land/bubbletea/v2"

	"midwire/session/notes"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Item is a choice.
type Item struct {
	Key  string // as tea.KeyPressMsg.String writes it
	Name safe.Text
	Note safe.Text
	On   func() bool // says whether it holds, nil for what is done once
	Run  func() tea.Cmd
}

// Menu is what can be chosen and where the cursor is.
type Menu struct {
	Title safe.Text
	Items []Item
	Names int         // cells of the column of names, 0 for as they are
	Notes []safe.Text // below the choices
	Each  int         // cells of a column of choices
	Stays bool        // choices are turned on and off, and the box stays
	Hint  safe.Text   // what keys do, in the frame
	// Else is called for a key that chooses nothing: it says why.
	Else func(key string) tea.Cmd

	at      int
	columns int
}

// Select puts the cursor on the n-th choice.
func (m *Menu) Select(n int) { m.at = n }

// Columns says in how many columns the choices stand on a screen: in two where
// one is too long for it.
func (m *Menu) Columns(w, h int) int {
	m.columns = 1
	if len(m.Items) > h-3 && !term.Narrow(w) && len(m.Notes) == 0 {
		m.columns = 2
	}
	return m.columns
}

// Width is how wide the box is on a screen.
func (m *Menu) Width(w, h int) int { return min(w-2, m.Each*m.Columns(w, h)+2) }

// Line is the line of the cursor.
func (m *Menu) Line() int { return m.at % m.rows() }

func (m *Menu) rows() int { return max(1, (len(m.Items)+max(m.columns, 1)-1)/max(m.columns, 1)) }

// Key moves the cursor, or chooses. Done says that the box has done its work;
// known that the key means something here.
func (m *Menu) Key(name string) (run func() tea.Cmd, done, known bool) {
	switch {
	case name == "esc", len(m.Items) == 0, name == "enter" && m.Stays:
		return nil, true, true
	}
	for i := range m.Items {
		if m.Items[i].Key == name {
			m.at = i
			return m.Items[i].Run, !m.Stays, true
		}
	}
	switch name {
	case "down", "j", "tab", "ctrl+n":
		m.at = (m.at + 1) % len(m.Items)
	case "up", "k", "shift+tab", "ctrl+p":
		m.at = (m.at + len(m.Items) - 1) % len(m.Items)
	case "right", "pgdown":
		m.at = min(m.at+m.rows(), len(m.Items)-1)
	case "left", "pgup":
		m.at = max(m.at-m.rows(), 0)
	case "enter", "space":
		return m.Items[m.at].Run, !m.Stays, true
	default:
		return nil, false, false
	}
	return nil, false, true
}

// At is the choice at a place inside the box, nil for none.
func (m *Menu) At(x, y, w int) *Item {
	i := x/max(w/max(m.columns, 1), 1)*m.rows() + y
	if y < 0 || y >= m.rows() || x < 0 || i >= len(m.Items) {
		return nil
	}
	return &m.Items[i]
}

// Draw draws the choices, in lines of w cells.
func (m *Menu) Draw(sc *term.Screen, w int) []string {
	rows := m.rows()
	out := make([]string, rows)
	for i := range out {
		for c := range m.columns {
			width := w / m.columns
			if c == m.columns-1 {
				width = w - c*width
			}
			k := c*rows + i
			if k >= len(m.Items) {
				out[i] += term.NewLine(width, sc.Glyphs).Finish()
				continue
			}
			it := &m.Items[k]
			l := sc.Row(width, k == m.at, true).Gap(1).Cell(sc.Theme.Key, safe.Line(it.Key), 3)
			if it.On != nil {
				sign := safe.Text("")
				if it.On() {
					sign = sc.Glyphs.Ok
				}
				l.Cell(sc.Theme.Ok, sign, 2)
			}
			if m.Names > 0 {
				l.Cell(term.Plain, it.Name, m.Names)
			} else {
				l.Put(term.Plain, it.Name).Gap(1)
			}
			out[i] += l.Put(sc.Theme.Dim, it.Note).Finish()
		}
	}
	if len(m.Notes) > 0 {
		out = append(out, term.NewLine(w, sc.Glyphs).Finish())
	}
	for _, s := range m.Notes {
		out = append(out, term.NewLine(w, sc.Glyphs).Gap(2).Put(sc.Theme.Dim, s).Finish())
	}
	return out
}

// Delete are lines of w cells that ask whether to delete a recording; outside says
// that its file is not among those of midwire.
func Delete(sc *term.Screen, w int, r *library.Recording, path string, size int64, outside bool) []string {
	d := document.Doc{Width: w - 2}
	if r == nil {
		return nil
	}
	d.Text(term.Bold, "Delete this recording for good?")
	d.Blank()
	field := func(name, text safe.Text) { d.Field(sc.Theme, name, term.S(term.Plain, text)) }
	field("name", r.Name())
	field("file", safe.Line(path))
	field("size", term.Bytes(size))
	if n := r.Notes; n.Total() > 0 {
		field("notes", term.Count(n.Count(notes.Mark), "mark")+", "+term.Count(n.Count(notes.Comment), "comment")+", "+
			term.Count(n.Count(notes.Name)+n.Count(notes.Session), "name"))
	}
	if outside {
		d.Blank()
		d.Text(sc.Theme.Warn, sc.Glyphs.Warn+" The file is not in midwire's folder of recordings.")
	}
	keys := term.NewLine(w, sc.Glyphs).Gap(1).Cell(sc.Theme.Key, "y", 3).Cell(term.Plain, "delete", 10)
	return append(d.All(sc, w, 1), term.NewLine(w, sc.Glyphs).Finish(),
		keys.Cell(sc.Theme.Key, "any key", 9).Put(term.Plain, "keep it").Finish())
}

// Quit are lines of w cells that ask whether to end the proxy of this process, at a
// URL or with a program of that name, to which so many clients are connected.
func Quit(sc *term.Screen, w int, at string, clients int) []string {
	what := safe.Text("This window runs the proxy.")
	if u, err := url.Parse(at); err == nil && u.Port() != "" {
		what = "This window runs the proxy on :" + safe.Line(u.Port()) + "."
	}
	ends := safe.Text("No client is connected.")
	if clients > 0 {
		ends = "Quitting disconnects " + term.Count(clients, "client") + "."
	}
	keys := term.NewLine(w, sc.Glyphs).Gap(1).Cell(sc.Theme.Key, "y", 3).Cell(term.Plain, "quit", 8)
	return []string{
		term.NewLine(w, sc.Glyphs).Gap(1).Put(term.Plain, what).Finish(),
		term.NewLine(w, sc.Glyphs).Gap(1).Put(term.Plain, ends).Finish(),
		term.NewLine(w, sc.Glyphs).Finish(),
		keys.Cell(sc.Theme.Key, "any other key", 15).Put(term.Plain, "stay").Finish(),
	}
}
