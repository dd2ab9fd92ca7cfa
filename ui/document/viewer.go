package document

import (
	"strconv"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/ui/term"
)

// Viewer shows a document: the picture of it, its cursor, what is found in it.
type Viewer struct {
	Doc    Doc
	Gen    int // of the document being built by a command
	top    int
	Height int
	Width  int
	Search Search
	Cur    int  // the line under the cursor, where there is one
	Focus  bool // keys go here
	kept   *Doc // the one before, while the next is being laid out
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
		d.top, d.Cur, d.Search.At = 0, d.Doc.Near(0), 0
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

// keepFolds carries over to a new document what the user did to the one before
// it. A document about something else begins as it was made.
func (d *Viewer) keepFolds(next *Doc, other bool) {
	old := &d.Doc
	if d.kept != nil { // what stands there says that next is being made
		old = d.kept
	}
	if d.kept = nil; next.Folds == nil {
		if !other && old.Folds != nil {
			d.kept = &Doc{Lines: old.Lines, Nodes: old.Nodes, Folds: old.Folds}
		}
		return
	}
	if other || old.Folds == nil || len(old.Nodes) > len(next.Nodes) {
		d.top, d.Cur = 0, next.Near(0)
		return
	}
	next.Folds = old.Folds
	if d.Cur < len(old.Lines) {
		if i := old.Lines[d.Cur].node - 1; i >= 0 {
			d.top += int(next.Nodes[i].first - old.Nodes[i].first)
			d.Cur = int(next.Nodes[i].first)
		}
	}
	d.Cur = min(d.Cur, len(next.Lines)-1)
}

// Foldable says whether there are values to fold.
func (d *Viewer) Foldable() bool { return d.Doc.Folds != nil && len(d.Doc.Lines) > 0 }

// cursored says whether there is a cursor: where something can be folded, or
// leads somewhere.
func (d *Viewer) cursored() bool {
	return (d.Doc.Folds != nil || d.Doc.leads || len(d.links.spans) > 0) && len(d.Doc.Lines) > 0
}

// Scroll moves the picture; the cursor stays in it.
func (d *Viewer) Scroll(n int) {
	if !d.cursored() {
		d.top = max(0, min(d.top+n, len(d.Doc.Lines)-d.Height))
		return
	}
	d.top = d.Doc.Near(d.top)
	if n != 0 {
		d.top = d.Doc.step(d.top, n)
	}
	d.top = min(d.top, d.Doc.step(d.Doc.Near(len(d.Doc.Lines)-1), 1-max(d.Height, 1)))
	d.Cur = d.Doc.Near(d.Cur)
	d.Cur = max(d.Cur, d.top)
	if d.Height > 0 {
		d.Cur = min(d.Cur, d.Doc.step(d.top, d.Height-1))
	}
}

// Move moves the cursor where there is one, and else the picture.
func (d *Viewer) Move(n int) {
	if !d.cursored() {
		d.Scroll(n)
		return
	}
	d.PutCursor(d.Doc.step(d.Doc.Near(d.Cur), n))
}

// PutCursor puts the cursor on a line that is shown, and the line into the picture.
func (d *Viewer) PutCursor(line int) {
	d.Cur = line
	d.top = d.Doc.Near(d.top)
	if d.Height > 0 {
		if line < d.top {
			d.top = line
		} else if far := d.Doc.step(line, 1-d.Height); d.top < far {
			d.top = far
		}
	}
	d.Scroll(0)
}

// GoTo shows a line where something was found, unfolded.
func (d *Viewer) GoTo(line int) {
	d.Doc.unfold(line)
	if d.cursored() {
		line = d.Doc.Near(line)
	}
	if line < d.top || line >= d.top+d.Height || d.cursored() && line > d.Doc.step(d.Doc.Near(d.top), d.Height-1) {
		d.top = line - d.Height/3
		if d.cursored() {
			d.top = d.Doc.step(line, -(d.Height / 3))
		}
	}
	d.Cur = line
	d.Scroll(0)
}

func (d *Viewer) line(i, w int, sc *term.Screen) string {
	l := term.NewLine(w, sc.Glyphs).On(d.Doc.Lines[i].Ground)
	if d.Focus && d.cursored() && i == d.Cur {
		if !sc.Theme.SoloSel { // which would hide what was found
			l.Under = sc.Theme.SelDim
		}
		l.Put(sc.Theme.Key, sc.Glyphs.Bar)
	} else {
		l.Gap(1)
	}
	if d.Doc.gutter > 0 && d.Doc.Lines[i].node > 0 {
		d.Doc.number(l, i, sc)
	}
	p := &Pen{L: l, Th: sc.Theme, spans: d.Search.on(i), links: d.linksOn(i)}
	d.Doc.Lines[i].drawWith(p)
	for _, s := range d.Doc.tail(i, sc.Theme, sc.Glyphs.Ellipsis) {
		p.put(s.Style, s.Text)
	}
	return l.Finish()
}

// number draws what stands before a line of JSON: its number, and whether it is folded.
func (d *Doc) number(l *term.Line, i int, sc *term.Screen) {
	end := l.Used + d.gutter
	if n := d.Lines[i].num; n > 0 {
		l.Right(sc.Theme.Faint, safe.Int(int(n)), d.gutter-4)
	}
	if k := d.Lines[i].node - 1; int(d.Nodes[k].head) == i && d.Foldable(k) {
		sign := sc.Glyphs.Open
		if d.Folded(k) {
			sign = sc.Glyphs.Folded
		}
		l.Gap(end-3-l.Used).Put(sc.Theme.Faint, sign)
	}
	l.Gap(end - l.Used)
}

// Toggle folds or unfolds the value under the cursor, or else the one that it
// is in.
func (d *Viewer) Toggle() {
	for i := d.Doc.Lines[d.Cur].node - 1; i >= 0; i = d.Doc.Nodes[i].Parent {
		if d.Doc.Foldable(i) {
			Flip(&d.Doc.Folds.odd, i)
			d.PutCursor(d.Doc.Near(int(d.Doc.Nodes[i].first)))
			return
		}
	}
}

// Under is the value under the cursor, -1 for none.
func (d *Viewer) Under() int32 {
	if !d.Foldable() {
		return -1
	}
	return d.Doc.Lines[d.Cur].node - 1
}

// Path names a value by the names and positions that lead to it, as replay's
// --ignore and --set write it. What is in a string follows a sign.
func (d *Doc) Path(i int32, in safe.Text) string {
	var steps []string
	for ; i >= 0; i = d.Nodes[i].Parent {
		n := &d.Nodes[i]
		switch {
		case n.Parent < 0:
		case d.Nodes[n.Parent].open == 0:
			steps = append(steps, " "+string(in)+" ")
		case n.keyEnd == 0:
			steps = append(steps, "["+strconv.Itoa(int(n.index))+"]")
		default:
			steps = append(steps, "."+jsonpath.Name(d.Sources[n.Src].Data[n.key:n.keyEnd]))
		}
	}
	var b strings.Builder
	for k := len(steps) - 1; k >= 0; k-- {
		s := steps[k]
		if at := b.String(); at == "" || strings.HasSuffix(at, " ") {
			s = strings.TrimPrefix(s, ".")
		}
		b.WriteString(s)
	}
	return strings.TrimSpace(b.String())
}

// LineAt is the line of the document at a line of the picture, -1 for none.
func (d *Viewer) LineAt(y int) int {
	if !d.cursored() || y < 0 {
		return -1
	}
	return d.Doc.step(d.Doc.Near(d.top), y)
}

// ClickLine puts the cursor on a line; where it is already, it folds or unfolds.
func (d *Viewer) ClickLine(line int, focus bool) {
	switch {
	case line < 0:
	case line == d.Cur && focus:
		d.Toggle()
	default:
		d.PutCursor(line)
	}
}

// Kind says what a value is.
func (d *Doc) Kind(i int32) safe.Text {
	n := &d.Nodes[i]
	more := safe.Text("")
	if n.Cut {
		more = " and more"
	}
	switch c := d.Sources[n.Src].Data[n.From]; {
	case c == '{':
		return "object, " + term.Count(int(n.count), "member") + more
	case c == '[':
		return "array, " + term.Count(int(n.count), "element") + more
	case c == '"':
		return "string, " + term.Bytes(int(n.To-n.From)-2)
	case c == 't' || c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	}
	return "number"
}
