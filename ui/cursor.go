package ui

import (
	"strconv"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/ui/term"
)

// keepFolds carries over to a new document what the user did to the one before
// it. A document about something else begins as it was made.
func (d *viewer) keepFolds(next *doc, other bool) {
	old := &d.doc
	if d.kept != nil { // what stands there says that next is being made
		old = d.kept
	}
	if d.kept = nil; next.folds == nil {
		if !other && old.folds != nil {
			d.kept = &doc{lines: old.lines, nodes: old.nodes, folds: old.folds}
		}
		return
	}
	if other || old.folds == nil || len(old.nodes) > len(next.nodes) {
		next.folds.forms(d.raw)
		d.top, d.cur = 0, next.near(0)
		return
	}
	next.folds = old.folds
	if d.cur < len(old.lines) {
		if i := old.lines[d.cur].node - 1; i >= 0 {
			d.top += next.place(i) - old.place(i)
			d.cur = next.place(i)
		}
	}
	d.cur = min(d.cur, len(next.lines)-1)
}

// tree says whether there are values to fold, and a cursor.
func (d *viewer) tree() bool { return d.doc.folds != nil && len(d.doc.lines) > 0 }

// scroll moves the picture; the cursor stays in it.
func (d *viewer) scroll(n int) {
	if !d.tree() {
		d.top = max(0, min(d.top+n, d.doc.length()-d.height))
		return
	}
	d.top = d.doc.near(d.top)
	if n != 0 {
		d.top = d.doc.step(d.top, n)
	}
	d.top = min(d.top, d.doc.step(d.doc.near(len(d.doc.lines)-1), 1-max(d.height, 1)))
	d.cur = d.doc.near(d.cur)
	d.cur = max(d.cur, d.top)
	if d.height > 0 {
		d.cur = min(d.cur, d.doc.step(d.top, d.height-1))
	}
}

// move moves the cursor where there is one, and else the picture.
func (d *viewer) move(n int) {
	if !d.tree() {
		d.scroll(n)
		return
	}
	d.put(d.doc.step(d.doc.near(d.cur), n))
}

// put puts the cursor on a line that is shown, and the line into the picture.
func (d *viewer) put(line int) {
	d.cur = line
	d.top = d.doc.near(d.top)
	if d.height > 0 {
		if line < d.top {
			d.top = line
		} else if far := d.doc.step(line, 1-d.height); d.top < far {
			d.top = far
		}
	}
	d.scroll(0)
}

// goTo shows a line where something was found, unfolded.
func (d *viewer) goTo(line int) {
	d.doc.unfold(line)
	if d.tree() {
		line = d.doc.near(line)
	}
	if line < d.top || line >= d.top+d.height || d.tree() && line > d.doc.step(d.doc.near(d.top), d.height-1) {
		d.top = line - d.height/3
		if d.tree() {
			d.top = d.doc.step(line, -(d.height / 3))
		}
	}
	d.cur = line
	d.scroll(0)
}

// line draws one line of the document.
func (d *viewer) line(i, w int, sc *term.Screen) string {
	l := term.NewLine(w, sc.Glyphs)
	if d.focus && d.tree() && i == d.cur {
		if !sc.Theme.SoloSel { // which would hide what was found
			l.Under = sc.Theme.SelDim
		}
		l.Put(sc.Theme.Key, safe.Text(sc.Glyphs.Bar))
	} else {
		l.Gap(1)
	}
	p := &pen{l: l, th: sc.Theme, skip: d.left, spans: d.search.on(i)}
	d.doc.lines[i].drawWith(p)
	for _, s := range d.doc.tail(i, sc.Theme, sc.Glyphs.Ellipsis) {
		p.put(s.Style, s.Text)
	}
	return l.Finish()
}

// toggle folds or unfolds the value under the cursor, or else the one that it
// is in.
func (d *viewer) toggle() {
	for i := d.doc.lines[d.cur].node - 1; i >= 0; i = d.doc.nodes[i].parent {
		if d.doc.foldable(i) {
			flip(&d.doc.folds.odd, i)
			d.put(d.doc.near(d.doc.place(i)))
			return
		}
	}
}

// decodable is the string under the cursor, or around it, that stands for
// something; -1 when there is none.
func (d *viewer) decodable() int32 {
	if !d.tree() {
		return -1
	}
	for i := d.doc.lines[d.cur].node - 1; i >= 0; i = d.doc.nodes[i].parent {
		if d.doc.nodes[i].alt > 0 {
			return i
		}
	}
	return -1
}

// under is the value under the cursor, -1 for none.
func (d *viewer) under() int32 {
	if !d.tree() {
		return -1
	}
	return d.doc.lines[d.cur].node - 1
}

// path names a value by the names and positions that lead to it, as replay's
// --ignore and --set write it. What is in a string follows a sign.
func (d *doc) path(i int32, in string) string {
	var steps []string
	for ; i >= 0; i = d.nodes[i].parent {
		n := &d.nodes[i]
		switch {
		case n.parent < 0:
		case d.nodes[n.parent].open == 0:
			steps = append(steps, " "+in+" ")
		case n.keyEnd == 0:
			steps = append(steps, "["+strconv.Itoa(int(n.index))+"]")
		default:
			steps = append(steps, "."+jsonpath.Name(d.sources[n.src].data[n.key:n.keyEnd]))
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

// click puts the cursor on a line of the picture; where it is already, it folds
// or unfolds.
func (d *viewer) click(y int) {
	if !d.tree() || y < 0 {
		return
	}
	line := d.doc.step(d.doc.near(d.top), y)
	if line == d.cur && d.focus {
		d.toggle()
		return
	}
	d.put(line)
}

// kind says what a value is.
func (d *doc) kind(i int32) safe.Text {
	n := &d.nodes[i]
	more := safe.Text("")
	if n.cut {
		more = " and more"
	}
	switch c := d.sources[n.src].data[n.from]; {
	case c == '{':
		return "object, " + term.Count(int(n.count), "member") + more
	case c == '[':
		return "array, " + term.Count(int(n.count), "element") + more
	case c == '"':
		return "string, " + bytesOf(int(n.to-n.from)-2)
	case c == 't' || c == 'f':
		return "boolean"
	case c == 'n':
		return "null"
	}
	return "number"
}
