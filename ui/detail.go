package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/library"
	"midwire/ui/term"
)

// detailCommands are those for values in the detail pane. Enter folds: h and l
// turn the tabs, space is a page, and z is what vim calls it.
func (m *Model) detailCommands() []keymap.Command {
	d := &m.detail
	notJSON := keymap.Unless(d.Foldable(), "only JSON can be folded: enter on the message shows it")
	all := func(mode document.FoldMode) func() tea.Cmd {
		return keymap.Do(func() {
			d.Doc.Folds.All(mode)
			d.PutCursor(d.Doc.Near(d.Cur))
		})
	}
	return []keymap.Command{
		{
			ID: "detail.fold", Key: keymap.Bind("enter z", "enter", "fold, unfold the value"), Title: "fold or unfold the value", Words: "collapse expand", Hint: keymap.When(d.Foldable(), "fold"),
			Group: keymap.Look, Run: keymap.Do(func() {
				switch {
				case d.Under() >= 0:
					d.Toggle()
				case d.tab == detail.TabSummary && !m.layoutOptions.Full:
					m.layoutOptions.Full = true
				case !d.Foldable():
					m.sideways(1)
				}
			}),
		},
		{ID: "detail.fold-all", Key: keymap.Bind("-", "- +", "fold, unfold everything"), Title: "fold everything", Group: keymap.Look, Why: notJSON, Run: all(document.FoldAll)},
		{ID: "detail.unfold-all", Key: keymap.Bind("+ =", "", ""), Title: "unfold everything", Why: notJSON, Run: all(document.FoldNone)},
		{
			ID: "detail.form", Key: keymap.Bind("u", "u U", "a string, all: read or JSON"), Words: "base64 escape", Title: "a string: read or JSON", Hint: keymap.When(d.Decodable() >= 0, "decode"), Group: keymap.Look,
			Run: keymap.Do(func() { m.turnForm(false) }),
		},
		{ID: "detail.forms", Key: keymap.Bind("U", "", ""), Title: "all strings: read or JSON", Run: keymap.Do(func() { m.turnForm(true) })},
		{ID: "detail.bytes", Key: keymap.Bind("B", "B", "raw bytes as text or hex"), Title: "show raw bytes as text or hex", Words: "hexdump", Group: keymap.Look, Run: keymap.Do(m.turnHex)},
	}
}

// under says where in the JSON the cursor is, and what the keys do there.
func (m *Model) under(w int) (out []term.Seg) {
	d := &m.detail.Doc
	i := m.detail.Under()
	right := m.underKeys(i)
	n := term.SegsWidth(right)
	if n > w/3 {
		right, n = nil, 0
	}
	what := d.Kind(i)
	if path := safe.Line(d.Path(i, m.glyphs.Crumb)); path != "" {
		room := w - n - term.Width(what) - 5
		if term.Width(path) > room { // its end says more than its beginning
			path = term.CutLeft(path, term.Width(path)-room+1, m.glyphs.Ellipsis)
		}
		out = append(out, term.S(m.theme.JSONKey+term.Bold, path+"  "))
	}
	out = append(out, term.S(m.theme.Dim, term.Shorten(what, w-n-term.SegsWidth(out)-1, &m.glyphs)))
	if len(right) > 0 {
		out = append(append(out, term.S(term.Plain, "   ")), right...)
	}
	return out
}

// underKeys are what the keys for the value under the cursor do with it now.
func (m *Model) underKeys(i int32) (out []term.Seg) {
	d := &m.detail.Doc
	for k := i; k >= 0; k = d.Nodes[k].Parent {
		if d.Foldable(k) {
			what := safe.Text(" folds")
			if d.Folded(k) {
				what = " unfolds"
			}
			out = append(out, term.S(m.theme.Key, "enter"), term.S(m.theme.Dim, what+"  "))
			break
		}
	}
	if s := m.detail.Decodable(); s >= 0 {
		what := safe.Text(" decodes it  ")
		if d.Stands(s) {
			what = " as JSON  "
		}
		out = append(out, term.S(m.theme.Key, "u"), term.S(m.theme.Dim, what))
	}
	return out
}

// detailPane is the pane that shows one row: in words, and its bytes.
type detailPane struct {
	document.Viewer
	tab  detail.Tab
	key  detail.Shown
	find find // a text in the document is being written
	hex  bool // bytes on the Raw tab are numbers

	other    document.Viewer // the other side of a page
	response bool            // the side with the cursor is the response
	building bool            // the sides are being laid out
	page     *detail.Page
	sides    [2]term.Rect // where request and response stand

	message *detail.Message // that the summary is about
	card    []string        // as it was drawn last, and what for
	cardOf  detail.Shown
	cardAt  [2]int
}

// drawCard draws the card of the message that is shown.
func (d *detailPane) drawCard(sc *library.Scene, w, h int) []string {
	if at := [2]int{w, h}; d.card == nil || d.cardOf != d.key || d.cardAt != at {
		d.card, d.cardOf, d.cardAt = d.message.Card(sc, w, h), d.key, at
	}
	return d.card
}

// accept takes a finished document. The place is kept when it is about the
// same row and tab as before; else it begins where something was looked for.
func (d *detailPane) accept(k detail.Shown, doc document.Doc) {
	other := d.key.Rec != k.Rec || d.key.ID != k.ID || d.key.Tab != k.Tab || d.key.Frames != k.Frames
	d.key = k
	d.Viewer.Accept(doc, other)
}

// turnForm shows a string, or every one, as it is written or as what it stands
// for. For all of them it holds in other messages too.
func (m *Model) turnForm(all bool) {
	d := &m.detail
	if !all {
		i := d.Decodable()
		if i < 0 {
			m.Complain("no text, JSON or media in a string here; U turns all of them")
			return
		}
		document.Flip(&d.Doc.Folds.Other, i)
		d.PutCursor(d.Doc.Near(d.Doc.Place(i)))
	} else {
		d.Raw = !d.Raw
		what := safe.Text("strings are shown as what they stand for; U shows them as JSON")
		if d.Raw {
			what = "strings are shown as they are in the JSON; U decodes them"
		}
		m.announce(what)
		if d.Foldable() {
			d.Doc.Folds.Forms(d.Raw)
			d.PutCursor(d.Doc.Near(d.Cur))
		}
	}
	d.Search.In(&d.Doc)
}

// turnHex shows the bytes of the Raw tab as numbers, or as text again.
func (m *Model) turnHex() {
	d := &m.detail
	if d.tab != detail.TabRaw {
		d.tab, d.hex = detail.TabRaw, true
		return
	}
	d.hex = !d.hex
}

// clickLifecycle goes to the message of a step, or to the findings.
func (m *Model) clickLifecycle(x, y int) tea.Cmd {
	r, rec, s := m.layout.Lifecycle, m.list.Rec, m.list.Current()
	in := r
	if r.H > 1 {
		in = m.layout.Inside(r)
	}
	if s != nil && y == in.Y {
		steps, _ := detail.Judged(rec, s)
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
	return m.layoutOptions.Full && !k.Frames && k.Tab == detail.TabSummary &&
		m.layout.Detail.W >= 100 && m.layout.W >= pageWidth && m.layout.H >= pageHeight
}

// layOutPage makes both sides, in a command when they are large.
func (m *Model) layOutPage(k detail.Shown, got detail.Frames, failed string) tea.Cmd {
	d, sc := &m.detail, m.Scene()
	d.message = detail.MessageOf(k.Rec, int(k.ID), got)
	d.page = detail.PageOf(d.message)
	mine, other := d.message.Sides(sc, m.layout.Detail.W/2-4)
	if d.response {
		mine, other = other, mine
	}
	if failed != "" {
		mine.Parts = append(mine.Parts, document.Part{Absent: "The bytes cannot be read: " + safe.Line(failed)})
	}
	d.building = false
	size, another := document.PartsSize(mine.Parts)+document.PartsSize(other.Parts), !m.sameRow(k)
	th := m.theme
	build := func(s detail.Side) document.Doc {
		s.Doc.Lines = slices.Clone(s.Doc.Lines)
		s.Doc.Append(&th, s.Parts, s.Doc.Width)
		return s.Doc
	}
	if size <= inlineDoc {
		d.other.Accept(build(other), another)
		d.accept(k, build(mine))
		return nil
	}
	d.other.Accept(other.Doc, another)
	waiting := mine.Doc
	waiting.Lines = slices.Clone(waiting.Lines)
	waiting.Text(m.theme.Dim, "laying out "+term.Size(int64(size))+" …")
	d.accept(k, waiting)
	gen := d.Gen
	d.building = true
	return func() tea.Msg {
		a, b := build(mine), build(other)
		return docMsg{k, a, &b, gen}
	}
}

// drawPage draws the message on the whole screen.
func (m *Model) drawPage(sc *library.Scene, r term.Rect) []string {
	d := &m.detail
	w := m.layout.Inside(r).W
	draw := func(p *term.Panel, body []string, h int) []string { return p.Draw(&sc.Screen, r.W, h, body) }
	top := d.page.Top(sc, w)
	head := &term.Panel{Name: d.message.Title(sc), State: m.tabs(), Focus: d.Focus}
	out := draw(head, top, min(len(top), 9)+2)
	out = append(out, draw(m.part("Timing"), d.page.Timing(sc, w), 4)...)
	title, around := d.page.Around(sc, w)
	n := r.H - len(out)
	if n-len(around)-2 < 12 || len(around) < 2 {
		around = nil
	} else {
		n -= len(around) + 2
	}
	left := term.Rect{X: r.X, Y: r.Y + len(out), W: r.W / 2, H: n}
	right := term.Rect{X: r.X + left.W, Y: left.Y, W: r.W - left.W, H: n}
	d.sides = [2]term.Rect{left, right}
	request, response := &d.Viewer, &d.other
	if d.response {
		request, response = response, request
	}
	d.other.Focus = false
	out = append(out, m.beside(sc, m.drawSide(sc, "Request", request, left), m.drawSide(sc, "Response", response, right))...)
	if around != nil {
		out = append(out, draw(m.part(title), around, len(around)+2)...)
	}
	return out
}

// part is the frame of a part of the page.
func (m *Model) part(name safe.Text) *term.Panel {
	return &term.Panel{Name: []term.Seg{term.S(m.theme.Title, name)}}
}

func (m *Model) drawSide(sc *library.Scene, name safe.Text, v *document.Viewer, r term.Rect) []string {
	p := m.part(name)
	p.Focus = v.Focus
	if v.Focus && v.Under() >= 0 {
		p.Foot = m.under(r.W - 8)
	} else if v != &m.detail.Viewer {
		p.State = []term.Seg{term.S(m.theme.Key, "tab"), term.S(m.theme.Dim, " goes there")}
	}
	return p.Draw(&sc.Screen, r.W, r.H, v.Draw(r.W-2, r.H-2, &sc.Screen))
}

// turnSide gives the cursor to the other side.
func (d *detailPane) turnSide() {
	d.other.Wide, d.other.Raw = d.Wide, d.Raw
	d.Viewer, d.other = d.other, d.Viewer
	d.response = !d.response
	d.Gen = max(d.Gen, d.other.Gen) + 1
	if d.building {
		d.key = detail.Shown{} // what is on its way is for the other order
	}
}

// at is the document at a place of the screen.
func (d *detailPane) at(x, y int) *document.Viewer {
	if d.key.Page {
		if d.sides[1].Has(x, y) && !d.response || d.sides[0].Has(x, y) && d.response {
			return &d.other
		}
	}
	return &d.Viewer
}

// clickDetail puts the cursor where the pane was clicked.
func (m *Model) clickDetail(x, y int) {
	d := &m.detail
	if !d.key.Page {
		d.Click(y - m.layout.Inside(m.layout.Detail).Y)
		return
	}
	if d.at(x, y) != &d.Viewer {
		d.turnSide()
	}
	for _, r := range d.sides {
		if r.Has(x, y) {
			d.Click(y - r.Y - 1)
		}
	}
}
