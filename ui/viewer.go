package ui

import "midwire/ui/term"

// viewer shows a document: the picture of it, its cursor, what is found in it.
type viewer struct {
	doc    doc
	gen    int // of the document being built by a command
	top    int
	height int
	width  int
	wide   bool // lines are not broken but scrolled sideways
	left   int  // cells that are scrolled out at the left
	search docSearch
	cur    int  // the line under the cursor, where the document is JSON
	focus  bool // keys go here
	kept   *doc // the one before, while the next is being laid out
	raw    bool // strings are shown as they are written, in every document
}

// unbroken is the width of a document whose lines are not broken: far more than
// any screen, and little enough to be drawn in no time.
const unbroken = 10_000

// accept takes a finished document; other says that it is about something else
// than the one before.
func (d *viewer) accept(doc doc, other bool) {
	d.keepFolds(&doc, other)
	d.doc = doc
	d.gen++
	d.search.in(&d.doc)
	if other {
		d.top, d.cur, d.left, d.search.at = 0, d.doc.near(0), 0, 0
		d.toHit(0)
	}
	d.scroll(0)
}

// view draws the document without the title.
func (d *viewer) view(w, h int, sc *term.Screen) []string {
	d.height, d.width = h, w-1
	if d.doc.hex != nil {
		return d.hexView(w, h, sc)
	}
	d.scroll(0)
	out := make([]string, 0, h)
	for i, last := d.top, -1; i < len(d.doc.lines) && i != last && len(out) < h; {
		out = append(out, d.line(i, w, sc))
		last, i = i, d.doc.step(i, 1)
	}
	return append(out, term.Blanks(h-len(out), w)...)
}
