package document

import "midwire/ui/term"

// Viewer shows a document: the picture of it, its cursor, what is found in it.
type Viewer struct {
	Doc    Doc
	Gen    int // of the document being built by a command
	top    int
	Height int
	Width  int
	Wide   bool // lines are not broken but scrolled sideways
	Left   int  // cells that are scrolled out at the left
	Search Search
	Cur    int  // the line under the cursor, where there is one
	Focus  bool // keys go here
	kept   *Doc // the one before, while the next is being laid out
	Raw    bool // strings are shown as they are written, in every document
	links  links
}

// Unbroken is the width of a document whose lines are not broken: far more than
// any screen, and little enough to be drawn in no time.
const Unbroken = 10_000

// Accept takes a finished document; other says that it is about something else
// than the one before.
func (d *Viewer) Accept(doc Doc, other bool) {
	d.keepFolds(&doc, other)
	d.Doc, d.links = doc, links{}
	d.Gen++
	d.Search.In(&d.Doc)
	if other {
		d.top, d.Cur, d.Left, d.Search.At = 0, d.Doc.Near(0), 0, 0
		d.NextHit(0)
	}
	d.Scroll(0)
}

// Draw draws the document without the title.
func (d *Viewer) Draw(w, h int, sc *term.Screen) []string {
	d.Height, d.Width = h, w-1
	d.Scroll(0)
	out := make([]string, 0, h)
	for i, last := d.top, -1; i < len(d.Doc.Lines) && i != last && len(out) < h; {
		out = append(out, d.line(i, w, sc))
		last, i = i, d.Doc.step(i, 1)
	}
	return append(out, term.Blanks(h-len(out), w)...)
}
