package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/insight"
	"midwire/ui/view/reading"
)

// detailCommands are those for values in the detail pane. Enter folds: h and l
// turn the tabs, space is a page, and z is what vim calls it.
func (m *Model) detailCommands() []keymap.Command {
	d := &m.detail
	notJSON := keymap.Except(func() bool { return d.Foldable() }, "only JSON can be folded: enter on the message shows it")
	all := func(mode document.FoldMode) func() tea.Cmd {
		return keymap.Do(func() {
			d.Doc.Folds.All(mode)
			d.PutCursor(d.Doc.Near(d.Cur))
		})
	}
	return []keymap.Command{
		{
			ID: "detail.fold", Key: keymap.Bind("enter z", "enter", "fold; go to a handle's issuer"), Title: "fold or unfold the value, or go where the line leads", Words: "collapse expand handle issuer", Says: m.foldHint,
			Group: keymap.Look, Run: func() tea.Cmd {
				frame, k := d.led()
				switch {
				case frame != 0 || k != nil:
					return m.followLink()
				case d.Under() >= 0:
					d.Toggle()
				case d.Tab == detail.TabSummary && !m.layoutOptions.Full:
					m.layoutOptions.Full = true
				case !d.Foldable():
					m.sideways(1)
				}
				return nil
			},
		},
		{
			ID: "detail.full", Key: keymap.Bind("+", "+", "on the whole screen"), Title: "read the message on the whole screen", Words: "full page zoom maximize", Group: keymap.Look,
			Says: keymap.If(func() bool { return !m.layoutOptions.Full }, "full"),
			Run: keymap.Do(func() {
				if m.layoutOptions.Full && d.Foldable() {
					all(document.FoldNone)()
				}
				m.layoutOptions.Full = true
			}),
		},
		{ID: "detail.fold-all", Key: keymap.Bind("-", "- =", "fold, unfold everything"), Title: "fold everything", Group: keymap.Look, Why: notJSON, Run: all(document.FoldAll)},
		{ID: "detail.unfold-all", Key: keymap.Bind("=", "", ""), Title: "unfold everything", Why: notJSON, Run: all(document.FoldNone)},
	}
}

// foldHint says what enter does to the line under the cursor.
func (m *Model) foldHint() safe.Text {
	switch frame, k := m.detail.led(); {
	case k != nil && !k.Issued && k.Issuer() != 0:
		return "issuer"
	case frame != 0 || k != nil:
		return "go there"
	}
	return keymap.When(m.detail.Foldable(), "fold")
}

// underCursor says where in the JSON the cursor is, and what the keys do there;
// nothing where they do nothing.
func (m *Model) underCursor(w int) []term.Seg {
	key := func(k, what safe.Text) []term.Seg {
		return []term.Seg{term.S(m.theme.Key, k), term.S(m.theme.Dim, what)}
	}
	var leads []term.Seg
	switch frame, k := m.detail.led(); {
	case frame != 0:
		leads = append(key("enter", " opens "), term.S(m.theme.Key, view.FrameRef(frame)))
	case k != nil && !k.Issued && k.Issuer() != 0:
		leads = append(key("enter", " issued in "), term.S(m.theme.Key, view.FrameRef(k.Issuer())))
		leads = append(leads, key("  H", " its uses  ")...)
	case k != nil:
		leads = key("enter", " its uses  ")
	}
	return m.detail.Foot(m.Scene(), w, leads)
}

// detailPane is the pane that shows one row: in words, and its bytes.
type detailPane struct {
	detail.Pane
	marks  []insight.Mark // handles of the message that is shown
	linked [3]int         // what was underlined last: which marks, in which documents
	links  []document.Link
	seek   string // a handle that the cursor goes to in the next document
}

// clickLifecycle goes to the message of a step, or to the findings.
func (m *Model) clickLifecycle(x, y int) tea.Cmd {
	r, rec, s := m.layout.Lifecycle, m.list.Rec, m.list.Current()
	in := r
	if r.H > 1 {
		in = m.layout.Inside(r)
	}
	if s != nil && y == in.Y {
		steps := detail.Judged(rec, s)
		if i := detail.StepAt(m.Scene(), steps, in.W, x-in.X); i >= 0 && steps[i].Frame > 0 {
			return m.Jump(rec, steps[i].Frame)
		}
	}
	m.openFindings()
	return nil
}

// A message has a page of its own, with request and response beside each other,
// on screens of this size.
const pageWidth, pageHeight = 140, 30

func (m *Model) showsPage(k detail.Shown) bool {
	return m.hasPage()
}

func (m *Model) hasPage() bool {
	return m.layoutOptions.Full && m.layout.W >= pageWidth && m.layout.H >= pageHeight
}

// layOutPage makes both sides, in a command when they are large.
func (m *Model) layOutPage(k detail.Shown, got detail.Frames, failed string) tea.Cmd {
	d, sc := &m.detail, m.Scene()
	d.Message = detail.MessageOf(k.Rec, int(k.ID), got)
	d.Message.Leg = k.Version.Leg
	d.Page = detail.PageOf(d.Message, d.Page)
	w := m.layout.Detail.W/2 - 4
	if d.Message.OneSided() {
		w, d.Response = m.layout.Detail.W-4, false
	}
	mine, other := d.Message.Sides(sc, k.Tab, w)
	if d.Response {
		mine, other = other, mine
	}
	if failed != "" {
		mine.Parts = append(mine.Parts, document.Part{Absent: "The bytes cannot be read: " + safe.Line(failed)})
	}
	d.Building = false
	size, another := document.PartsSize(mine.Parts)+document.PartsSize(other.Parts), !m.sameRow(k)
	th := m.theme
	build := func(s detail.Side) document.Doc {
		s.Doc.Lines = slices.Clone(s.Doc.Lines)
		s.Doc.Append(&th, s.Parts, s.Doc.Width)
		return s.Doc
	}
	if size <= inlineDoc {
		d.Other.Accept(build(other), another)
		d.Take(k, build(mine))
		return nil
	}
	d.Other.Accept(other.Doc, another)
	waiting := mine.Doc
	waiting.Lines = slices.Clone(waiting.Lines)
	waiting.Text(m.theme.Dim, "laying out "+term.Size(int64(size))+" …")
	d.Take(k, waiting)
	gen := d.Gen
	d.Building = true
	return func() tea.Msg {
		a, b := build(mine), build(other)
		return docMsg{k, a, &b, gen}
	}
}

// clickDetail puts the cursor where the pane was clicked. A click on a line that
// leads somewhere goes there when the cursor was on it.
func (m *Model) clickDetail(x, y int) tea.Cmd {
	d := &m.detail
	was := d.Cur
	if !d.Focus {
		was = -1
	}
	line := d.LineAt(y - m.layout.Inside(m.layout.Detail).Y)
	if d.Shown.Page {
		line = d.ClickAt(x, y)
	}
	if frame, i := d.Target(); line >= 0 && line == was && (frame != 0 || i >= 0) {
		return m.followLink()
	}
	d.ClickLine(line, was >= 0)
	return nil
}

// refreshPage reads on what is around the message, a step at a time.
func (m *Model) refreshPage() tea.Cmd {
	d := &m.detail
	if m.view != nil || !d.Shown.Page || d.Page.Done() || m.scanning {
		return nil
	}
	m.dirty = d.Page.Step() || m.dirty
	if d.Page.Done() {
		return nil
	}
	m.scanning = true
	return func() tea.Msg { return scanMsg{} }
}

// refreshLinks underlines the handles of the message that is shown, as soon as they
// are known.
func (m *Model) refreshLinks() tea.Cmd {
	d := &m.detail
	if m.view != nil || m.layout.Detail.W == 0 || d.Shown.Card || d.Shown.Rec == nil {
		return nil
	}
	cmd := m.marks.Refresh(m)
	now := [3]int{m.marks.Stamp, d.Gen, d.Other.Gen}
	if d.linked == now {
		return cmd
	}
	same := d.linked[1] == d.Gen && d.linked[2] == d.Other.Gen
	d.linked, d.marks = now, m.marks.Of(d.Shown.Rec, int(d.Shown.ID))
	var all []document.Link
	for i := range d.marks {
		k := &d.marks[i]
		hue := d.Shown.Rec.Hue(&m.theme, k.Session()) + term.Underline
		all = append(all, document.Link{Text: k.Handle.Value, Name: k.Member(), Style: hue})
	}
	if same && slices.Equal(all, d.links) {
		return cmd
	}
	d.links = all
	d.Link(all)
	d.Other.Link(all)
	if d.seek != "" && d.Shown.Complete && !d.Building && len(all) > 0 {
		if !d.GoToLink(d.seek) && d.Shown.Page && d.Other.GoToLink(d.seek) {
			d.TurnSide()
		}
		d.seek = ""
	}
	m.dirty = true
	return cmd
}

// led is where the line under the cursor leads: to a frame, or to a handle.
func (d *detailPane) led() (frame uint64, k *insight.Mark) {
	frame, i := d.Target()
	if i >= 0 && i < len(d.marks) {
		k = &d.marks[i]
	}
	return frame, k
}

// followLink goes where the line under the cursor leads: to a message, which for a
// handle is the one that issued it. Where that is this one, or was not seen, all of
// its uses are shown.
func (m *Model) followLink() tea.Cmd {
	d := &m.detail
	frame, k := d.led()
	if frame == 0 {
		if k == nil {
			return nil
		}
		if frame = k.Issuer(); k.Issued || frame == 0 {
			m.Open(insight.NewHandlesAt(m.insights, k))
			return nil
		}
		d.seek = k.Handle.Value
	}
	full := m.layoutOptions.Full
	cmd := m.Jump(d.Shown.Rec, frame)
	m.focusPane(paneDetail)
	m.layoutOptions.Full = full
	return cmd
}

// handles shows all handles, the one under the cursor selected.
func (m *Model) handles(r *reading.Reader) view.View {
	if m.view == nil && m.focus == paneDetail {
		if _, k := m.detail.led(); k != nil {
			return insight.NewHandlesAt(r, k)
		}
	}
	return insight.NewHandles(r)
}
