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

// exportMenu has the formats.
func (m *Model) exportMenu() *menu.Menu {
	c := &menu.Menu{Title: m.exportTitle(), Each: 60, Names: 9, Else: m.notChosen, Notes: []safe.Text{
		"Credentials are masked; session ids get placeholders.", "A new file, for you alone, in",
		"  " + cmp.Or(safe.Line(m.opts.Folder), "the folder where midwire was started"),
	}}
	r, session := m.exported()
	for _, f := range menu.Formats() {
		ctx, id := m.ctx, r.ID
		run := func() tea.Cmd {
			return m.withExporter("exporting "+safe.Line(f.Name), func(out menu.Exporter) given {
				path, err := out.Export(ctx, id, session, f.Name)
				return given{path: path, err: err}
			})
		}
		c.Items = append(c.Items, menu.Item{Key: f.Key, Name: safe.Line(f.Name), Note: f.What, Run: run})
	}
	return c
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
