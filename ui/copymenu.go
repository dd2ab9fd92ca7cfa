package ui

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/menu"
	"midwire/ui/term"
	"midwire/ui/view"
)

// copyCommands put something of the selected row on the clipboard, or write it
// to a file. There is no acknowledgement, so what they say is that it was sent.
func (m *Model) copyCommands() []keymap.Command {
	const alone = "this frame belongs to no message"
	noCursor, noWriter := m.whyNotUnder, keymap.Unless(m.opts.Exporter != nil, "nothing can be written or copied as a command from here")
	noMessage := keymap.Except(func() bool { return m.selectedRow() >= 0 }, alone)
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
	words := func(what string) func() tea.Cmd {
		return of(func(k detail.Shown, row *session.Row) tea.Cmd { return m.copyOfRow(k, row, what) })
	}
	some := keymap.Except(m.chosen, "choose a message to copy")
	return []keymap.Command{
		{ID: "copy-menu.json", Key: keymap.Bind("c", "c", ""), Title: "copy JSON", Hint: "JSON", Why: some, Run: frame(true)},
		{ID: "copy-menu.raw", Key: keymap.Bind("r", "r", ""), Title: "copy raw bytes", Hint: "raw bytes", Why: some, Run: frame(false)},
		{ID: "copy-menu.id", Key: keymap.Bind("i", "i", ""), Title: "copy id", Hint: "id", Why: some, Run: words("id")},
		{ID: "copy-menu.words", Key: keymap.Bind("w", "w", ""), Title: "copy the row in words", Hint: "the row in words", Why: some, Run: words("row")},
		{ID: "copy-menu.session-id", Key: keymap.Bind("s", "s", ""), Title: "copy session id", Hint: "session id", Why: some, Run: words("session id")},
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
		{ID: "copy-menu.save-tab", Key: keymap.Bind("F", "F", ""), Title: "copy to a file: this tab", Hint: "to a file: this tab", Why: noWriter, Run: of(m.saveTab)},
		{ID: "copy-menu.save-value", Key: keymap.Bind("b", "b", ""), Title: "copy to a file: what the base64 is", Hint: "to a file: what the base64 is", Why: m.whyNotMedia, Run: m.saveValue},
	}
}

func (m *Model) whyNotUnder() safe.Text {
	here := m.detail.Under() >= 0 && m.focus == paneDetail
	return keymap.Unless(here, "there is no cursor here; 3 and l go to the JSON of the message")()
}

// whyNotMedia says why what is under the cursor cannot be written to a file.
func (m *Model) whyNotMedia() safe.Text {
	_, ok := m.mediaUnder()
	return cmp.Or(m.whyNotUnder(), keymap.Unless(ok, "the value under the cursor is no base64 of a known type")(),
		keymap.Unless(m.opts.Exporter != nil, "nothing can be written or copied as a command from here")())
}

func (m *Model) copyMenu() *menu.Menu {
	what := safe.Text("of the request")
	if m.atResponse() {
		what = "of the response"
	}
	if m.list.RawFrames {
		what = "of the frame"
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

// copyOfRow copies a few words about a row.
func (m *Model) copyOfRow(k detail.Shown, row *session.Row, what string) tea.Cmd {
	if row == nil {
		return m.Complain("there is none to copy")
	}
	s := k.Rec.Session(int(row.Session))
	switch {
	case what == "row":
		return m.Copy(detail.RowText(k.Rec, row, m.wordsOf(k)), what)
	case what == "id":
		return m.Copy(k.Rec.Tracker.Name(row.ID), what)
	case s != nil:
		return m.Copy(s.ID, what)
	}
	return m.Complain("there is none to copy")
}

// saveValue writes what the base64 under the cursor stands for.
func (m *Model) saveValue() tea.Cmd {
	v, _ := m.mediaUnder()
	path := m.detail.Doc.Path(m.detail.Under(), m.glyphs.Crumb)
	id, name := m.fileOf(m.detail.Shown), m.fileStem()+"-"+path+"."+v.Ending()
	return m.withExporter("writing "+term.Bytes(v.Size), func(out menu.Exporter) given {
		at, err := out.Save(id, name, v.Decoded(len(v.Code)+3))
		return given{path: at, err: err}
	})
}

// copyValue copies what is under the cursor.
func (m *Model) copyValue() tea.Cmd {
	i, d := m.detail.Under(), &m.detail.Doc
	n := &d.Nodes[i]
	if n.Cut {
		return m.Complain("only the beginning of it is here; y F writes the whole tab to a file")
	}
	value := d.Sources[n.Src].Data[n.From:n.To]
	what := "value"
	if n.Stands {
		what = "text"
		if _, is := d.Media(i); is {
			what = "base64"
		}
		return m.Copy(wire.Text(value), what)
	}
	return m.Copy(string(value), what)
}

// mediaUnder is the base64 under the cursor.
func (m *Model) mediaUnder() (document.Media, bool) {
	if i := m.detail.Under(); i >= 0 && m.focus == paneDetail {
		return m.detail.Doc.Media(i)
	}
	return document.Media{}, false
}

func (m *Model) fileStem() string {
	id, _ := m.list.Selected()
	of, n := m.originOf(m.shownKey(id))
	return string(of.Name()) + "-" + strconv.Itoa(int(n))
}

// originOf is the recording that a message is in, and its frame there.
func (m *Model) originOf(k detail.Shown) (*library.Recording, uint64) {
	n := uint64(k.ID)
	if row := m.rowOf(k); row != nil && !k.Frames {
		n = uint64(row.Request)
	}
	return k.Rec.Origin(n)
}

func (m *Model) fileOf(k detail.Shown) string {
	of, _ := m.originOf(k)
	return of.ID
}

// copyCurl copies a command that sends the HTTP request of a row.
func (m *Model) copyCurl(k detail.Shown, row *session.Row) tea.Cmd {
	of, head := k.Rec.Origin(k.Rec.RequestHead(row))
	if head == 0 {
		return m.Complain("there is no HTTP request of this; y m copies a replay")
	}
	return m.withExporter("making a curl command", func(out menu.Exporter) given {
		text, err := out.Curl(of.ID, head)
		return given{text: text, what: "curl command", err: err}
	})
}

func (m *Model) copyReplay(k detail.Shown, row *session.Row) tea.Cmd {
	of, n := k.Rec.SessionOrigin(int(row.Session))
	if of == nil {
		return m.Complain("this message belongs to no session")
	}
	if n++; k.Rec.SessionsOf(of) < 2 {
		n = 0
	}
	return m.withExporter("making a command", func(out menu.Exporter) given {
		text, err := out.ReplayLine(of.ID, n)
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

// saveTab writes what a tab is about: the JSON that the cursor is in, the bytes of all
// frames, or the words.
func (m *Model) saveTab(k detail.Shown, row *session.Row) tea.Cmd {
	id, name := m.fileOf(k), m.fileStem()
	save := func(name string, make func() []byte) tea.Cmd {
		return m.withExporter("writing", func(out menu.Exporter) given {
			path, err := out.Save(id, name, make())
			return given{path: path, err: err}
		})
	}
	kind := words.Fold(string(detail.TabNames[k.Tab]))
	inJSON := k.Tab == detail.TabSummary && row != nil && !k.Frames && m.focus == paneDetail && m.detail.Under() >= 0
	if k.Tab.Words() && !inJSON {
		lines := m.detail.Doc.Lines
		return save(name+"-"+kind+".txt", func() []byte {
			var b strings.Builder
			for i := range lines {
				b.WriteString(strings.TrimRight(lines[i].Text(), " ") + "\n")
			}
			return []byte(b.String())
		})
	}
	ns := m.wantedFrames(k)
	if inJSON {
		if ns, kind = []uint64{uint64(row.Request)}, "request"; m.atResponse() {
			ns, kind = []uint64{uint64(row.Response)}, "response"
		}
	}
	return m.withFrames(k.Rec, ns, func(got detail.Frames) tea.Cmd {
		var all [][]byte
		ending := ".bin"
		for _, n := range ns {
			f := got[n]
			head := f.Kind == wire.KindRequest || f.Kind == wire.KindResponse
			switch {
			case k.Tab == detail.TabHeaders:
				ending = ".txt"
				all = append(all, f.Data)
			case k.Tab == detail.TabRaw || row == nil:
				all = append(all, f.Data, []byte(f.EOL))
			case !head:
				data := k.Rec.Tracker.Payload(&f)
				all = append(all, data)
				if ending = ".txt"; wire.Valid(data) {
					ending = ".json"
				}
			}
		}
		if len(all) == 0 {
			return m.Complain("there are no bytes on this tab")
		}
		return save(name+"-"+kind+ending, func() []byte { return bytes.Join(all, nil) })
	})
}
