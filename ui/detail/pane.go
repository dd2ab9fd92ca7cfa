// Package detail is what the screen says of one message, or session: the tabs and
// the frames they need, the summary, the timing, the findings explained, and the
// life cycle on a line. All of it is pure: it makes documents and lines of what it
// is given.
package detail

import (
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Pane shows one row: in words, and its bytes.
type Pane struct {
	document.Viewer
	Tab   Tab
	Shown Shown

	Other    document.Viewer // the other side of a page
	Response bool            // the side with the cursor is the response
	Building bool            // the sides are being laid out
	Page     *Page
	sides    [2]term.Rect // where request and response stand

	Message *Message // that the summary is about
	card    []string // as it was drawn last, and what for
	cardOf  Shown
	cardAt  [2]int
}

// Account is what the card is about where something went wrong, nil where it is only a message.
func (d *Pane) Account() *Account {
	if !d.Shown.Card || d.Message == nil {
		return nil
	}
	return d.Message.Account()
}

// DrawCard draws the card of the message that is shown.
func (d *Pane) DrawCard(sc *library.Scene, w, h int) []string {
	if at := [2]int{w, h}; d.card == nil || d.cardOf != d.Shown || d.cardAt != at {
		d.card, d.cardOf, d.cardAt = d.Message.Card(sc, w, h), d.Shown, at
	}
	return d.card
}

// Take takes a finished document. The place is kept when it is about the same row
// and tab as before; else it begins where something was looked for.
func (d *Pane) Take(k Shown, doc document.Doc) {
	was := d.Shown
	if d.Shown = k; k.Card && was.Card {
		return // a card is no document
	}
	d.Accept(doc, was.Rec != k.Rec || was.ID != k.ID || was.Tab != k.Tab)
}

// DrawPage draws the message on the whole screen: state are the names of the tabs.
// foot says what is under the cursor, in so many cells.
func (d *Pane) DrawPage(sc *library.Scene, r term.Rect, state []term.Seg, foot func(w int) []term.Seg) []string {
	part := func(name safe.Text) *term.Panel {
		return &term.Panel{Name: []term.Seg{term.S(sc.Theme.Title, name)}}
	}
	draw := func(p *term.Panel, body []string, h int) []string { return p.Draw(&sc.Screen, r.W, h, body) }
	w := r.W - 2
	top := d.Page.Top(sc, w)
	head := &term.Panel{Name: d.Message.Title(sc, true), State: state, Focus: d.Focus}
	out := draw(head, top, min(len(top), max(r.H/3, 9))+2)
	out = append(out, draw(part("Timing"), d.Page.Timing(sc, w), 4)...)
	title, around := d.Page.Around(sc, w)
	n := r.H - len(out)
	if n-len(around)-2 < 12 || len(around) < 2 {
		around = nil
	} else {
		n -= len(around) + 2
	}
	left := term.Rect{X: r.X, Y: r.Y + len(out), W: r.W / 2, H: n}
	right := term.Rect{X: r.X + left.W, Y: left.Y, W: r.W - left.W, H: n}
	if d.Message.OneSided() {
		left.W, right.W = r.W, 0
	}
	d.sides = [2]term.Rect{left, right}
	request, response := &d.Viewer, &d.Other
	if d.Response {
		request, response = response, request
	}
	d.Other.Focus = false
	side := func(name safe.Text, v *document.Viewer, r term.Rect) []string {
		p := part(name)
		p.Focus = v.Focus
		if v.Focus {
			p.Foot = foot(r.W - 8)
		} else if v != &d.Viewer {
			p.State = []term.Seg{term.S(sc.Theme.Key, "tab"), term.S(sc.Theme.Dim, " goes there")}
		}
		return p.Draw(&sc.Screen, r.W, r.H, v.Draw(r.W-2, r.H-2, &sc.Screen))
	}
	if d.Message.OneSided() {
		out = append(out, side(d.Message.alonePart(), request, left)...)
	} else {
		a, b := side("Request", request, left), side("Response", response, right)
		out = append(out, term.Beside(a, b)...)
	}
	if around != nil {
		out = append(out, draw(part(title), around, len(around)+2)...)
	}
	return out
}

// TurnSide gives the cursor to the other side, where there is one.
func (d *Pane) TurnSide() {
	if d.Message.OneSided() {
		return
	}
	d.Viewer, d.Other = d.Other, d.Viewer
	d.Response = !d.Response
	d.Gen = max(d.Gen, d.Other.Gen) + 1
	if d.Building {
		d.Shown = Shown{} // what is on its way is for the other order
	}
}

// AtResponse says whether the cursor is in the JSON of the response.
func (d *Pane) AtResponse() bool {
	i := d.Under()
	return d.Shown.Page && d.Response || !d.Shown.Page && i >= 0 && d.Doc.Nodes[i].Src > 0
}

// At is the document at a place of the screen.
func (d *Pane) At(x, y int) *document.Viewer {
	if d.Shown.Page {
		if d.sides[1].Has(x, y) && !d.Response || d.sides[0].Has(x, y) && d.Response {
			return &d.Other
		}
	}
	return &d.Viewer
}

// ClickAt gives the cursor to the side of a page that was clicked, and returns the
// line that was, -1 for none.
func (d *Pane) ClickAt(x, y int) int {
	if d.At(x, y) != &d.Viewer {
		d.TurnSide()
	}
	for _, r := range d.sides {
		if r.Has(x, y) {
			return d.LineAt(y - r.Y - 1)
		}
	}
	return -1
}

// Foot says in w cells where in the JSON the cursor is, and what the keys do there:
// leads are those that go somewhere.
func (d *Pane) Foot(sc *library.Scene, w int, leads []term.Seg) (out []term.Seg) {
	i := d.Under()
	keys := d.keys(sc, i, leads)
	n := term.SegsWidth(keys)
	if i < 0 {
		return keys
	}
	if n > w/3 && leads == nil || n > w {
		keys, n = nil, 0
	}
	what := d.Doc.Kind(i)
	if path := safe.Line(d.Doc.Path(i, sc.Glyphs.Crumb)); path != "" {
		room := w - n - term.Width(what) - 5
		if term.Width(path) > room { // its end says more than its beginning
			path = term.CutLeft(path, term.Width(path)-room+1, sc.Glyphs.Ellipsis)
		}
		out = append(out, term.S(sc.Theme.JSONKey+term.Bold, path+"  "))
	}
	out = append(out, term.S(sc.Theme.Dim, term.Shorten(what, w-n-term.SegsWidth(out)-1, sc.Glyphs)))
	if len(keys) > 0 {
		out = append(append(out, term.S(term.Plain, "   ")), keys...)
	}
	return out
}

// keys are what those for the value under the cursor do with it now.
func (d *Pane) keys(sc *library.Scene, i int32, out []term.Seg) []term.Seg {
	for k := i; k >= 0 && len(out) == 0; k = d.Doc.Nodes[k].Parent {
		if d.Doc.Foldable(k) {
			what := safe.Text(" folds")
			if d.Doc.Folded(k) {
				what = " unfolds"
			}
			out = append(out, term.S(sc.Theme.Key, "enter"), term.S(sc.Theme.Dim, what+"  "))
		}
	}
	return out
}
