package ui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/term"
	"midwire/ui/view"
)

// given says what became of something that was to be written or copied.
type given struct {
	path string // what was written
	text string // or is to be copied
	what string // is in text
	err  error
}

func (m *Model) takeGiven(msg given) tea.Cmd {
	switch {
	case msg.err != nil:
		return m.Complain(safe.Line(msg.err.Error()))
	case msg.text != "":
		return m.Copy(msg.text, msg.what)
	}
	path := safe.Line(msg.path)
	if room := m.w - len(" written to ") - 1; term.Width(path) > room && room > 1 { // the name of a file is at its end
		path = term.CutLeft(path, term.Width(path)-room+term.Width(m.glyphs.Ellipsis), m.glyphs.Ellipsis)
	}
	return m.announce("written to " + path)
}

// announce says something until the next key, or the next thing said.
func (m *Model) announce(text safe.Text) tea.Cmd {
	m.toast = toast{text: text, good: true, n: m.toast.n + 1}
	m.dirty = true
	return nil
}

// withExporter has a command do something with the Exporter; what is said meanwhile.
func (m *Model) withExporter(what safe.Text, do func(menu.Exporter) given) tea.Cmd {
	out := m.opts.Exporter
	if out == nil {
		return m.Complain("nothing can be written or copied as a command from here")
	}
	m.announce(what + " " + m.glyphs.Pend)
	m.toast.good = false // it stays until it is done
	return func() tea.Msg {
		got := do(out)
		return view.Then(func(view.Host) tea.Cmd { return m.takeGiven(got) })
	}
}

// exported is what the export menu is about: a recording, or a session of it.
func (m *Model) exported() (r *library.Recording, session int) {
	r, session = m.list.Rec, m.list.Session
	return r, max(session, -1) + 1
}

// exportMenu has the formats; with ask the path is written before the file is.
func (m *Model) exportMenu(ask bool) *menu.Menu {
	c := &menu.Menu{Title: m.exportTitle(), Each: 60, Names: 9, Else: m.notChosen, Notes: []safe.Text{
		"Credentials are masked; session ids get placeholders.", "A new file, for you alone, in",
		"  " + cmp.Or(safe.Line(m.opts.Folder), "the folder where midwire was started"),
	}}
	r, session := m.exported()
	for _, f := range menu.Formats() {
		ctx, id := m.ctx, r.ID
		export := func(at string) tea.Cmd {
			return m.withExporter("exporting "+safe.Line(f.Name), func(out menu.Exporter) given {
				path, err := out.Export(ctx, id, session, f.Name, at)
				return given{path: path, err: err}
			})
		}
		run := func() tea.Cmd { return export("") }
		if ask {
			run = func() tea.Cmd {
				p := menu.NewPlace(m.opts.Exporter.Place(id, session, f.Name), export)
				m.entry = place{p}
				return p.Focus()
			}
		}
		c.Items = append(c.Items, menu.Item{Key: f.Key, Name: safe.Line(f.Name), Note: f.What, Run: run})
	}
	if ask {
		c.Title, c.Notes = c.Title+" to", []safe.Text{c.Notes[0], "The path can be changed before it is written."}
	} else if m.opts.Exporter != nil {
		c.Items = append(c.Items, menu.Item{Key: "p", Name: "place", Note: "choose the path first", Run: func() tea.Cmd {
			m.openMenu(m.exportMenu(true))
			return nil
		}})
	}
	return c
}

// place is the line in which the path of an export is written.
type place struct{ *menu.Place }

func (e place) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	cmd, done := e.Key(k)
	if done {
		m.entry = nil
	}
	return cmd
}

func (e place) update(_ *Model, msg tea.Msg) tea.Cmd { return e.Take(msg) }
func (e place) draw(l *term.Line, m *Model)          { e.Draw(l, &m.theme) }
func (e place) hints() (keys [][2]safe.Text, _ safe.Text) {
	return e.Hints(), "nothing is written over"
}

func (m *Model) exportTitle() safe.Text {
	r, session := m.exported()
	t := safe.Text("Export ")
	if r == nil {
		return t
	}
	if session > 0 && r.SessionCount() > 1 {
		t += "session " + safe.Int(session) + " of "
	}
	return t + term.Shorten(r.Name(), m.w/3, &m.glyphs)
}

func (m *Model) exportFindings(found map[string][]*diagnose.Finding, n int) tea.Cmd {
	return m.withExporter("exporting "+term.Count(n, "finding")+" as SARIF", func(out menu.Exporter) given {
		path, err := out.SARIF(found)
		return given{path: path, err: err}
	})
}
