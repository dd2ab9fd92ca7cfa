package ui

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/view"
)

// copyCommands put something of the selected row on the clipboard, or write it
// to a file. There is no acknowledgement, so what they say is that it was sent.
func (m *Model) copyCommands() []keymap.Command {
	noCursor, noWriter := m.whyNotUnder, keymap.Unless(m.opts.Exporter != nil, "nothing can be written or copied as a command from here")
	noMessage := keymap.Except(m.chosen, "choose a message to copy")
	noCommand := func() safe.Text { return cmp.Or(noWriter(), noMessage()) }
	of := func(f func(k detail.Shown, row *session.Row) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd {
			id, _ := m.list.Selected()
			k := m.shownKey(id)
			return f(k, m.rowOf(k))
		}
	}
	frame := func(pretty bool) func() tea.Cmd {
		return of(func(k detail.Shown, row *session.Row) tea.Cmd { return m.copyFrame(k, row, pretty) })
	}
	return []keymap.Command{
		{ID: "copy-menu.json", Key: keymap.Bind("c", "c", ""), Title: "copy JSON", Hint: "JSON", Why: noMessage, Run: frame(true)},
		{ID: "copy-menu.raw", Key: keymap.Bind("r", "r", ""), Title: "copy raw bytes", Hint: "raw bytes", Why: noMessage, Run: frame(false)},
		{
			ID: "copy-menu.findings", Key: keymap.Bind("f", "f", ""), Title: "copy findings as Markdown", Hint: "findings as Markdown",
			Why: func() safe.Text { return keymap.Unless(len(m.about()) > 0, "no finding is about this message")() },
			Run: m.copyFindings,
		},
		{
			ID: "copy-menu.path", Key: keymap.Bind("p", "p", ""), Title: "copy path under the cursor", Hint: "path under the cursor", Why: noCursor,
			Run: func() tea.Cmd { return m.Copy(m.detail.Doc.Path(m.detail.Under(), m.glyphs.Crumb), "path") },
		},
		{ID: "copy-menu.value", Key: keymap.Bind("v", "v", ""), Title: "copy value under the cursor", Hint: "value under the cursor", Why: noCursor, Run: m.copyValue},
		{ID: "copy-menu.curl", Key: keymap.Bind("u", "u", ""), Title: "copy as a curl command", Hint: "as a curl command", Why: func() safe.Text {
			row := m.selectedRow()
			return cmp.Or(noCommand(), keymap.Unless(row < 0 || m.list.Rec.Tracker.Row(row).Conn > 0, "there is no HTTP request of this; y m copies a replay")())
		}, Run: of(m.copyCurl)},
		{ID: "copy-menu.replay", Key: keymap.Bind("m", "m", ""), Title: "copy as a midwire replay command", Hint: "as a midwire replay command", Why: noCommand, Run: of(m.copyReplay)},
		{ID: "copy-menu.markdown", Key: keymap.Bind("d", "d", ""), Title: "copy as Markdown", Hint: "as Markdown", Why: noMessage, Run: of(m.copyMarkdown)},
		{ID: "copy-menu.save-tab", Key: keymap.Bind("F", "F", ""), Title: "copy to a file", Hint: "to a file", Why: noWriter, Run: of(m.save)},
	}
}

func (m *Model) whyNotUnder() safe.Text {
	here := m.detail.Under() >= 0 && m.focus == paneDetail
	return keymap.Unless(here, "there is no cursor here; 3 and l go to the JSON of the message")()
}

func (m *Model) copyMenu() *menu.Menu {
	what := safe.Text("of the request")
	if m.atResponse() {
		what = "of the response"
	}
	c := &menu.Menu{Title: "Copy", Each: 38, Else: m.notCopied}
	for _, of := range m.root() {
		keys := of.Key.Keys()
		if of.Area() != keymap.CopyMenu || of.Disabled() != "" || len(keys) == 0 {
			continue
		}
		item := menu.Item{Key: keys[0], Name: of.Hint, Run: of.Run}
		if of.ID == "copy-menu.json" || of.ID == "copy-menu.raw" {
			item.Note = what
		}
		c.Items = append(c.Items, item)
	}
	return c
}

// notCopied says why a key of the copy menu does nothing.
func (m *Model) notCopied(key string) tea.Cmd {
	for _, c := range m.root() {
		if c.Area() == keymap.CopyMenu && slices.Contains(c.Key.Keys(), key) {
			m.dialog = dialog{}
			return m.call(c)
		}
	}
	return m.notChosen(key)
}

// copyValue copies what is under the cursor.
func (m *Model) copyValue() tea.Cmd {
	i, d := m.detail.Under(), &m.detail.Doc
	n := &d.Nodes[i]
	if n.Cut {
		return m.Complain("only the beginning of it is here; y F writes the message to a file")
	}
	value := d.Sources[n.Src].Data[n.From:n.To]
	what := "value"
	if n.Stands {
		what = "text"
		return m.Copy(wire.Text(value), what)
	}
	return m.Copy(string(value), what)
}

// copyCurl copies a command that sends the HTTP request of a row.
func (m *Model) copyCurl(k detail.Shown, row *session.Row) tea.Cmd {
	head := k.Rec.RequestHead(row)
	if head == 0 {
		return m.Complain("there is no HTTP request of this; y m copies a replay")
	}
	return m.withExporter("making a curl command", func(out menu.Exporter) given {
		text, err := out.Curl(k.Rec.ID, head)
		return given{text: text, what: "curl command", err: err}
	})
}

func (m *Model) copyReplay(k detail.Shown, row *session.Row) tea.Cmd {
	n := int(row.Session) + 1
	if k.Rec.SessionCount() < 2 {
		n = 0
	}
	return m.withExporter("making a command", func(out menu.Exporter) given {
		text, err := out.ReplayLine(k.Rec.ID, n)
		return given{text: text, what: "replay command", err: err}
	})
}

// copyMarkdown copies the two payloads of a row.
func (m *Model) copyMarkdown(k detail.Shown, row *session.Row) tea.Cmd {
	words := m.wordsOf(k)
	ns := detail.CompactNumbers(uint64(row.Request), uint64(row.Response))
	return m.withFrames(k.Rec, ns, func(got detail.Frames) tea.Cmd {
		text := detail.RowMarkdown(k.Rec, row, words, got)
		return func() tea.Msg {
			said := text()
			return view.Then(func(view.Host) tea.Cmd { return m.Copy(said, "message as Markdown") })
		}
	})
}

func (m *Model) withFrames(rec *library.Recording, ns []uint64, then func(detail.Frames) tea.Cmd) tea.Cmd {
	put := func() tea.Cmd {
		got, _ := m.cache.Have(rec.ID, ns)
		if why := m.cache.Failure(rec.ID, ns); why != "" {
			return m.Complain("the bytes cannot be read: " + safe.Line(why))
		}
		return then(got)
	}
	if cmd := m.cache.Load(m.src, rec.ID, ns, put); cmd != nil {
		return cmd
	}
	return put()
}

// save writes the JSON that the cursor is in, else the bytes of the request and of its
// response.
func (m *Model) save(k detail.Shown, row *session.Row) tea.Cmd {
	ns := detail.CompactNumbers(uint64(row.Request), uint64(row.Response))
	if m.focus == paneDetail && m.detail.Under() >= 0 {
		if ns = ns[:1]; m.atResponse() {
			ns = []uint64{uint64(row.Response)}
		}
	}
	name := string(k.Rec.Name()) + "-" + strconv.Itoa(int(ns[0]))
	return m.withFrames(k.Rec, ns, func(got detail.Frames) tea.Cmd {
		var all [][]byte
		ending := ".json"
		for _, n := range ns {
			f := got[n]
			data := k.Rec.Tracker.Payload(&f)
			if all = append(all, data); !wire.Valid(data) {
				ending = ".txt"
			}
		}
		return m.withExporter("writing", func(out menu.Exporter) given {
			path, err := out.Save(k.Rec.ID, name+ending, bytes.Join(all, []byte("\n")))
			return given{path: path, err: err}
		})
	})
}
