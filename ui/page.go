package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/detail"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// A message has a page of its own, with request and response beside each other,
// on screens of this size.
const pageWidth, pageHeight = 140, 30

func (m *Model) showsPage(k detail.Shown) bool {
	return m.layoutOptions.full && !k.Frames && k.Tab == detail.TabSummary &&
		m.layout.detail.W >= 100 && m.layout.w >= pageWidth && m.layout.h >= pageHeight
}

// layOutPage makes both sides, in a command when they are large.
func (m *Model) layOutPage(k detail.Shown, got detail.Frames, failed string) tea.Cmd {
	d, sc := &m.detail, m.scene()
	d.message = detail.MessageOf(k.Rec, int(k.ID), got)
	d.page = detail.PageOf(d.message)
	mine, other := d.message.Sides(sc, m.layout.detail.W/2-4)
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
	w := m.layout.inside(r).W
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
		if i := slices.IndexFunc(d.sides[:], func(r term.Rect) bool { return r.Has(x, y) }); i >= 0 && (i == 1) != d.response {
			return &d.other
		}
	}
	return &d.Viewer
}

// clickDetail puts the cursor where the pane was clicked.
func (m *Model) clickDetail(x, y int) {
	d := &m.detail
	if !d.key.Page {
		d.Click(y - m.layout.inside(m.layout.detail).Y)
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
