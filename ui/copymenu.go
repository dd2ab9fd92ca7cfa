package ui

import (
	"bytes"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// copyItem is a line of the copy menu.
type copyItem struct {
	b    binding
	note safe.Text
}

// copyItems are what can be copied here and now.
func (m *Model) copyItems() (out []copyItem) {
	what := safe.Text("of the request")
	if m.detail.tab == detail.TabResponse {
		what = "of the response"
	}
	if m.list.RawFrames {
		what = "of the frame"
	}
	for _, b := range m.keys.all {
		if b.in != inCopy || !m.copyable(b.do) {
			continue
		}
		item := copyItem{b: b}
		if b.do == actCopyJSON || b.do == actCopyRaw {
			item.note = what
		}
		out = append(out, item)
	}
	return out
}

func (m *Model) copyable(a action) bool {
	switch a {
	case actCopyFindings:
		return len(m.about()) > 0
	case actCopyPath, actCopyValue:
		return m.focus == paneDetail && m.detail.Under() >= 0
	case actSaveValue:
		_, ok := m.mediaUnder()
		return ok && m.opts.Exporter != nil
	case actCopyCurl:
		i := m.selectedRow()
		return i >= 0 && m.list.Rec.Tracker.Row(i).Conn > 0 && m.opts.Exporter != nil
	case actCopyReplay, actSaveTab:
		return m.opts.Exporter != nil
	}
	return true
}

const copyColumn = 38

// copyColumns is in how many columns the menu stands: in two where one is too
// long for the screen.
func (m *Model) copyColumns() int {
	if len(m.copyItems()) > m.h-3 && m.w >= 60 {
		return 2
	}
	return 1
}

func (m *Model) copyWidth() int { return min(m.w-2, copyColumn*m.copyColumns()+2) }

func (m *Model) copyLines() []string {
	items, columns := m.copyItems(), m.copyColumns()
	w := m.copyWidth() - 2
	out := make([]string, (len(items)+columns-1)/columns)
	for i := range out {
		for c := range columns {
			width := w / columns
			if c == columns-1 {
				width = w - c*width
			}
			l := term.NewLine(width, &m.sg)
			if k := c*len(out) + i; k < len(items) {
				l.Gap(2).Cell(m.th.Key, items[k].b.show, 3).Put(term.Plain, items[k].b.hint)
				if items[k].note != "" {
					l.Gap(1).Put(m.th.Dim, items[k].note)
				}
			}
			out[i] += l.Finish()
		}
	}
	return out
}

// copyUnder copies what is under the cursor, or writes what it stands for.
func (m *Model) copyUnder(a action) tea.Cmd {
	i := m.detail.Under()
	if i < 0 || m.focus != paneDetail {
		return m.complain("there is no cursor here; 3 and l go to the JSON of the message")
	}
	d := &m.detail.Doc
	path := d.Path(i, m.sg.Crumb)
	switch a {
	case actCopyPath:
		return clipboard(m, path, "path")
	case actSaveValue:
		v, ok := m.mediaUnder()
		if !ok {
			return m.complain("the value under the cursor is no base64 of a known type")
		}
		id, name := m.detail.key.Rec.ID, m.fileStem()+"-"+path+"."+v.Ending()
		return m.given("writing "+document.BytesOf(v.Size), func(out Exporter) givenMsg {
			at, err := out.Save(id, name, v.Decoded(len(v.Code)+3))
			return givenMsg{path: at, err: err}
		})
	}
	n := &d.Nodes[i]
	if n.Cut {
		return m.complain("only the beginning of it is here; y F writes the whole tab to a file")
	}
	value := d.Sources[n.Src].Data[n.From:n.To]
	what := "value"
	if d.Stands(i) {
		what = "text"
		if _, is := d.Media(i); is {
			what = "base64"
		}
		return clipboard(m, wire.Text(value), what)
	}
	return clipboard(m, string(value), what)
}

// mediaUnder is the base64 under the cursor.
func (m *Model) mediaUnder() (document.Media, bool) {
	if i := m.detail.Under(); i >= 0 && m.focus == paneDetail {
		return m.detail.Doc.Media(i)
	}
	return document.Media{}, false
}

// fileStem is what the name of a file about the selected message begins with.
func (m *Model) fileStem() string {
	id, _ := m.list.Selected()
	k := m.shownKey(id)
	n := uint64(k.Id)
	if row := m.rowOf(k); row != nil && !k.Frames {
		n = uint64(row.Request)
	}
	return string(k.Rec.Name()) + "-" + strconv.Itoa(int(n))
}

// copyMore copies or writes what a command has to make first.
func (m *Model) copyMore(a action, k detail.Shown, row *session.Row) tea.Cmd {
	if row == nil && a != actSaveTab {
		return m.complain("this frame belongs to no message")
	}
	id := k.Rec.ID
	switch a {
	case actCopyCurl:
		head := m.requestHeadOf(k.Rec, row)
		if head == 0 {
			return m.complain("there is no HTTP request of this; y m copies a replay")
		}
		return m.given("making a curl command", func(out Exporter) givenMsg {
			text, err := out.Curl(id, head)
			return givenMsg{text: text, what: "curl command", err: err}
		})
	case actCopyReplay:
		n := int(row.Session) + 1
		if len(k.Rec.Tracker.Sessions()) < 2 {
			n = 0
		}
		return m.given("making a command", func(out Exporter) givenMsg {
			text, err := out.ReplayLine(id, n)
			return givenMsg{text: text, what: "replay command", err: err}
		})
	case actSaveTab:
		return m.saveTab(k, row)
	}
	head := "### " + rowText(k.Rec, row, m.wordsOf(k)) + "\n"
	return m.withFrames(k.Rec, detail.CompactNumbers(uint64(row.Request), uint64(row.Response)), func(m *Model, got detail.Frames) tea.Cmd {
		ask, answer := payloadOf(k.Rec, got, row.Request), payloadOf(k.Rec, got, row.Response)
		return func() tea.Msg {
			text := head + fenced("Request", row.Request, ask)
			if answer != nil {
				text += fenced("Answer", row.Response, answer)
			}
			return givenMsg{text: text, what: "message as Markdown"}
		}
	})
}

// requestHeadOf is the head of the HTTP request that a row came in, or that its
// answer did.
func (m *Model) requestHeadOf(rec *library.Recording, row *session.Row) uint64 {
	if row.Dir != wire.ToClient {
		return rec.Heads[row.X].Req
	}
	if f := rec.Frame(uint64(row.Response)); f != nil {
		return rec.Heads[f.X].Req
	}
	return 0
}

// payload is what a frame carried; nil for none.
func payloadOf(r *library.Recording, got detail.Frames, n uint32) []byte {
	f, ok := got[uint64(n)]
	if !ok {
		return nil
	}
	return r.Tracker.Payload(&f)
}

// withFrames goes on when the frames are at hand.
func (m *Model) withFrames(rec *library.Recording, ns []uint64, then func(*Model, detail.Frames) tea.Cmd) tea.Cmd {
	put := func(m *Model) tea.Cmd {
		got, _ := m.have(rec, ns)
		if why := m.failure(rec, ns); why != "" {
			return m.complain("the bytes cannot be read: " + safe.Line(why))
		}
		return then(m, got)
	}
	if cmd := m.load(rec, ns, put); cmd != nil {
		return cmd
	}
	return put(m)
}

// fenced is a block of Markdown with a payload in it.
func fenced(what string, n uint32, data []byte) string {
	text, kind := string(data), ""
	if b, ok := wire.Indent(data, ""); ok {
		text, kind = string(b), "json"
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return "\n" + what + " (#" + strconv.Itoa(int(n)) + "):\n\n" + fence + kind + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// saveTab writes what a tab is about: the payload, the bytes of all frames, or
// the words.
func (m *Model) saveTab(k detail.Shown, row *session.Row) tea.Cmd {
	id, name := k.Rec.ID, m.fileStem()
	save := func(name string, make func() []byte) tea.Cmd {
		return m.given("writing", func(out Exporter) givenMsg {
			path, err := out.Save(id, name, make())
			return givenMsg{path: path, err: err}
		})
	}
	kind := strings.ToLower([detail.TabCount]string{"summary", "request", "response", "raw", "headers", "timing", "findings"}[k.Tab])
	if k.Tab.Words() {
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
	return m.withFrames(k.Rec, ns, func(m *Model, got detail.Frames) tea.Cmd {
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
			return m.complain("there are no bytes on this tab")
		}
		return save(name+"-"+kind+ending, func() []byte { return bytes.Join(all, nil) })
	})
}
