package sessions

import (
	"cmp"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// Index is the position of the selected node; -1 when it is not shown.
func (t *Tree) Index() int {
	if t.at < len(t.Nodes) && t.Nodes[t.at].Key == t.Selection && !t.Nodes[t.at].Info {
		return t.at
	}
	for i := range t.Nodes {
		if t.Nodes[i].Key == t.Selection && !t.Nodes[i].Info {
			t.at = i
			return i
		}
	}
	return -1
}

// Selected returns the selected node, or nil.
func (t *Tree) Selected() *Node {
	if i := t.Index(); i >= 0 {
		return &t.Nodes[i]
	}
	return nil
}

// Move selects the node n selectable lines further.
func (t *Tree) Move(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	i := t.Index()
	for at := i + step; n > 0 && at >= 0 && at < len(t.Nodes); at += step {
		if !t.Nodes[at].Info {
			i = at
			n--
		}
	}
	t.Go(i)
}

// Go selects the line at a position.
func (t *Tree) Go(i int) {
	if i < 0 || i >= len(t.Nodes) || t.Nodes[i].Info {
		return
	}
	t.Selection = t.Nodes[i].Key
	t.Reveal()
}

// SelectOther selects the next line that is about another recording, or the one
// before.
func (t *Tree) SelectOther() {
	n := t.Selected()
	if n == nil {
		return
	}
	rec, at := n.Rec, t.Index()
	for i := at + 1; i < len(t.Nodes); i++ {
		if x := &t.Nodes[i]; !x.Info && x.Rec != rec {
			t.Go(i)
			return
		}
	}
	for i := at - 1; i >= 0; i-- {
		if x := &t.Nodes[i]; !x.Info && x.Rec != rec {
			t.Go(i)
			return
		}
	}
}

// Reveal scrolls until the selection is in the picture.
func (t *Tree) Reveal() {
	i := t.Index()
	if i < 0 || t.Height <= 0 {
		return
	}
	t.Top = term.Reveal(t.Top, i, t.Height, len(t.Nodes))
}

// Scroll moves the picture.
func (t *Tree) Scroll(n int) { t.Top += n }

// First is the top line on the screen.
func (t *Tree) First() int {
	t.Top = max(0, min(t.Top, len(t.Nodes)-t.Height))
	return t.Top
}

// Fold folds or unfolds the selected node; folding one that is folded selects
// the node it belongs to.
func (t *Tree) Fold(open bool) {
	i := t.Index()
	if i < 0 {
		return
	}
	n := &t.Nodes[i]
	if !open && (!n.folds || !n.open) {
		for j := i - 1; j >= 0; j-- {
			if t.Nodes[j].depth < n.depth && !t.Nodes[j].Info {
				t.Go(j)
				return
			}
		}
		return
	}
	t.setFold(n, open)
}

// Toggle folds or unfolds the selected line.
func (t *Tree) Toggle() {
	if n := t.Selected(); n != nil {
		t.setFold(n, !n.open)
	}
}

func (t *Tree) setFold(n *Node, open bool) {
	if n.folds {
		t.Folded[n.Key] = !open
		t.Opened[n.Key] = open
	}
}

// Draw draws the tree without its title.
func (t *Tree) Draw(w, h int, sc *library.Scene, focus bool) []string {
	t.Height = h
	name := 0
	if w >= wideTree {
		name = t.nameWidth(w, sc)
	}
	out := make([]string, 0, h)
	for i := t.First(); i < len(t.Nodes) && len(out) < h; i++ {
		n := &t.Nodes[i]
		l := sc.Row(w, !n.Info && n.Key == t.Selection, focus)
		look := t.look(n, sc)
		if t.Marked != nil && n.Rec == t.Marked.Recording && n.Sess == t.Marked.Session {
			look.label = "d " + look.label // the one that another is to be compared with
			look.st += sc.Theme.Key
		}
		out = append(out, drawNode(l, sc, n, &look, name))
	}
	if len(t.Nodes) == 0 && t.Text != "" {
		for _, s := range []safe.Text{"", "Nothing has this text.", "What is not open is known", "by its name and command."} {
			out = append(out, term.NewLine(w, sc.Glyphs).Gap(2).Put(sc.Theme.Dim, s).Finish())
		}
		out = out[:min(len(out), h)]
	}
	return append(out, term.Blanks(h-len(out), w)...)
}

// wideTree is the width from which on a tree has columns.
const wideTree = 56

// nameWidth is how wide the first column of a wide tree is: as its longest name
// wants, so far as that leaves room for the others.
func (t *Tree) nameWidth(w int, sc *library.Scene) int {
	const most = 300 // lines that are looked at: there may be thousands
	if t.name.of == t.built && t.name.w == w {
		return t.name.cells
	}
	want := 0
	for i := range t.Nodes[:min(len(t.Nodes), most)] {
		if t.Nodes[i].Info {
			continue
		}
		n := t.look(&t.Nodes[i], sc)
		cells := 2*t.Nodes[i].depth + 6 + term.Width(n.label)
		if n.note != "" && n.note != n.wide.tap {
			cells += 1 + term.Width(n.note)
		}
		if n.badge != "" {
			cells += 1 + term.Width(n.badge)
		}
		want = max(want, cells)
	}
	t.name.of, t.name.w, t.name.cells = t.built, w, min(want, max(w*36/100, 20), 44)
	return t.name.cells
}

func drawNode(l *term.Line, sc *library.Scene, at *Node, n *nodeLook, name int) string {
	l.Gap(1 + 2*at.depth - l.Used)
	if at.Info {
		l.Gap(2)
		return l.Put(sc.Theme.Dim, at.text).Finish()
	}
	fold := safe.Text(" ")
	if at.folds && at.open {
		fold = sc.Glyphs.Open
	} else if at.folds {
		fold = sc.Glyphs.Folded
	}
	l.Put(sc.Theme.Dim, fold).Gap(1)
	if n.sign != "" {
		l.Put(n.signSt, n.sign).Gap(1)
	}
	if l.Max >= wideTree {
		return n.drawWide(l, sc, name)
	}
	st := cmp.Or(n.badged, sc.Theme.Dim)
	end := l.Max - 1
	if n.badge != "" {
		end -= term.Width(n.badge) + 1
	}
	if n.age != "" {
		end -= term.Width(n.age) + 1
	}
	l.PutMax(n.st, n.label, end-l.Used)
	n.putNote(l, sc, end)
	l.Gap(end - l.Used)
	if n.badge != "" {
		l.Gap(1).Put(st, n.badge)
	}
	if n.age != "" {
		l.Gap(1).Put(sc.Theme.Dim, n.age)
	}
	return l.Finish()
}

// putNote adds the note if at least a telling part of it has room.
func (n *nodeLook) putNote(l *term.Line, sc *library.Scene, end int) {
	if room := end - l.Used - 1; n.note != "" && room >= min(term.Width(n.note), 6) {
		l.Gap(1).PutMax(sc.Theme.Dim, n.note, room)
	}
}

// drawWide goes on with the columns of a wide tree: what, badge, tap, when,
// where and size.
func (n *nodeLook) drawWide(l *term.Line, sc *library.Scene, name int) string {
	st := cmp.Or(n.badged, sc.Theme.Dim)
	end := name
	if n.badge != "" {
		end -= term.Width(n.badge) + 1
	}
	l.PutMax(n.st, n.label, end-l.Used)
	if n.note != n.wide.tap {
		n.putNote(l, sc, end)
	}
	if n.badge != "" {
		l.Gap(end+1-l.Used).Put(st, n.badge)
	}
	l.Gap(name + 1 - l.Used)
	if n.wide == (columnsOfNode{}) {
		return l.Finish()
	}
	when := max(12, term.Width(n.wide.when)+1)
	if l.Max >= 70 {
		when = 15 // with seconds
	}
	l.Cell(sc.Theme.Dim, n.wide.tap, 6).Cell(term.Plain, n.wide.when, when)
	st = sc.Theme.Dim
	if n.wide.trouble {
		st = sc.Theme.Warn
	}
	end = l.Max - 1
	if n.wide.size != "" {
		end -= term.Width(n.wide.size) + 1
	}
	l.PutMax(st, n.wide.where, end-l.Used)
	return l.Gap(end+1-l.Used).Put(sc.Theme.Dim, n.wide.size).Finish()
}
