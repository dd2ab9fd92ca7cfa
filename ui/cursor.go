package ui

import (
	"strconv"
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// keepFolds carries over to a new document what the user did to the one before
// it. A document about something else begins as it was made.
func (d *detail) keepFolds(next *doc, other bool) {
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
func (d *detail) tree() bool { return d.doc.folds != nil && len(d.doc.lines) > 0 }

// scroll moves the picture; the cursor stays in it.
func (d *detail) scroll(n int) {
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
func (d *detail) move(n int) {
	if !d.tree() {
		d.scroll(n)
		return
	}
	d.put(d.doc.step(d.doc.near(d.cur), n))
}

// put puts the cursor on a line that is shown, and the line into the picture.
func (d *detail) put(line int) {
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
func (d *detail) goTo(line int) {
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
func (d *detail) line(i, w int, sc *library.Scene) string {
	l := term.NewLine(w, sc.Glyphs)
	if d.focus && d.tree() && i == d.cur {
		if !sc.Theme.SoloSel { // which would hide what was found
			l.Under = sc.Theme.SelDim
		}
		l.Put(sc.Theme.Key, safe.Text(sc.Glyphs.Bar))
	} else {
		l.Gap(1)
	}
	p := &pen{l: l, th: sc.Theme, skip: d.left, spans: d.find.on(i)}
	d.doc.lines[i].drawWith(p)
	for _, s := range d.doc.tail(i, sc.Theme, sc.Glyphs.Ellipsis) {
		p.put(s.Style, s.Text)
	}
	return l.Finish()
}

// doTree carries out what is about a tree of values, and says whether it did.
func (m *Model) doTree(a action) bool {
	d := &m.detail
	switch a {
	case actFold:
		if !d.tree() {
			m.sideways(1)
			return true
		}
		d.toggle()
	case actFoldAll, actUnfoldAll:
		if !d.tree() {
			m.complain("only JSON on the Request and Response tabs can be folded")
			return true
		}
		d.doc.folds.all(map[action]foldMode{actFoldAll: foldAll, actUnfoldAll: foldNone}[a])
		d.put(d.doc.near(d.cur))
	case actForm, actForms:
		m.turnForm(a == actForms)
	case actHex:
		m.turnHex()
	default:
		return false
	}
	return true
}

// toggle folds or unfolds the value under the cursor, or else the one that it
// is in.
func (d *detail) toggle() {
	for i := d.doc.lines[d.cur].node - 1; i >= 0; i = d.doc.nodes[i].parent {
		if d.doc.foldable(i) {
			flip(&d.doc.folds.odd, i)
			d.put(d.doc.near(d.doc.place(i)))
			return
		}
	}
}

// turnForm shows a string, or every one, as it is written or as what it stands
// for. For all of them it holds in other messages too.
func (m *Model) turnForm(all bool) {
	d := &m.detail
	if !all {
		i := d.decodable()
		if i < 0 {
			m.complain("no text, JSON or media in a string here; U turns all of them")
			return
		}
		flip(&d.doc.folds.other, i)
		d.put(d.doc.near(d.doc.place(i)))
	} else {
		d.raw = !d.raw
		what := safe.Text("strings are shown as what they stand for; U shows them as JSON")
		if d.raw {
			what = "strings are shown as they are in the JSON; U decodes them"
		}
		m.announce(what)
		if d.tree() {
			d.doc.folds.forms(d.raw)
			d.put(d.doc.near(d.cur))
		}
	}
	d.find.look(&d.doc)
}

// decodable is the string under the cursor, or around it, that stands for
// something; -1 when there is none.
func (d *detail) decodable() int32 {
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
func (d *detail) under() int32 {
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
func (d *detail) click(y int) {
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
