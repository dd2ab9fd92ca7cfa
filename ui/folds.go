package ui

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

type foldMode uint8

const (
	foldAsMade foldMode = iota
	foldAll             // but the outermost value
	foldNone
)

// folds is which values of a document are folded, and which strings are shown
// as what they stand for. Every change costs the same, however long the
// document is: a line is hidden or not by the nodes that it is in.
type folds struct {
	mode    foldMode
	odd     map[int32]bool // folded or not against the mode
	written bool           // strings are shown as they are written
	other   map[int32]bool // or not, against that
}

func (f *folds) all(mode foldMode) { f.mode, f.odd = mode, nil }

func (f *folds) forms(written bool) { f.written, f.other = written, nil }

// flip changes what a set holds.
func flip(set *map[int32]bool, i int32) {
	if *set == nil {
		*set = map[int32]bool{}
	}
	if (*set)[i] {
		delete(*set, i)
		return
	}
	(*set)[i] = true
}

// stands says whether a string is shown as what it stands for.
func (d *doc) stands(i int32) bool {
	return d.nodes[i].alt > 0 && d.folds.written == d.folds.other[i]
}

// foldable says whether there is anything to fold in a node, as it is shown.
func (d *doc) foldable(i int32) bool {
	n := &d.nodes[i]
	if n.open == 0 && !d.stands(i) {
		return false
	}
	return n.last > n.head
}

func (d *doc) folded(i int32) bool {
	n := &d.nodes[i]
	shut := n.shut
	switch d.folds.mode {
	case foldAll:
		shut = n.parent >= 0
	case foldNone:
		shut = false
	}
	return shut != d.folds.odd[i] && d.foldable(i)
}

// gap is a run of lines that are not shown.
type gap struct {
	from, to int
	below    bool // what stands for them is below them, not above
}

// hidden says whether a line is not shown, and which lines around it are not
// either.
func (d *doc) hidden(line int) (g gap, ok bool) {
	if d.folds == nil {
		return g, false
	}
	for i := d.lines[line].node - 1; i >= 0; i = d.nodes[i].parent {
		if form, not := d.otherForm(i, line); not {
			g, ok = form, true
		}
		if n := &d.nodes[i]; line > int(n.head) && d.folded(i) {
			g, ok = gap{from: int(n.head) + 1, to: int(n.last)}, true
		}
	}
	return g, ok
}

// otherForm says whether a line is of the form of a string that is not shown.
func (d *doc) otherForm(i int32, line int) (g gap, ok bool) {
	n := &d.nodes[i]
	switch {
	case n.alt == 0:
		return g, false
	case d.stands(i):
		return gap{int(n.first), int(n.alt) - 1, true}, line < int(n.alt)
	}
	return gap{from: int(n.alt), to: int(n.last)}, line >= int(n.alt)
}

// unread says whether a line is of a form that is not shown, whatever is
// folded: nothing is looked for there.
func (d *doc) unread(line int) bool {
	if d.folds == nil {
		return false
	}
	for i := d.lines[line].node - 1; i >= 0; i = d.nodes[i].parent {
		if _, not := d.otherForm(i, line); not {
			return true
		}
	}
	return false
}

// step goes n shown lines down, or up, as far as there are any. line is shown.
func (d *doc) step(line, n int) int {
	if far := len(d.lines); n >= far {
		return d.near(far - 1)
	} else if n <= -far {
		return d.near(0)
	}
	for ; n > 0; n-- {
		next := line + 1
		for next < len(d.lines) {
			g, not := d.hidden(next)
			if !not {
				break
			}
			next = g.to + 1
		}
		if next >= len(d.lines) {
			return line
		}
		line = next
	}
	for ; n < 0; n++ {
		next := line - 1
		for next >= 0 {
			g, not := d.hidden(next)
			if !not {
				break
			}
			next = g.from - 1
		}
		if next < 0 {
			return line
		}
		line = next
	}
	return line
}

// near is the line itself when it is shown, or else the one that stands for it.
func (d *doc) near(line int) int {
	line = max(0, min(line, len(d.lines)-1))
	for len(d.lines) > 0 {
		switch g, not := d.hidden(line); {
		case !not:
			return line
		case g.below:
			line = g.to + 1
		default:
			line = g.from - 1
		}
	}
	return 0
}

// unfold shows a line, and what it is in.
func (d *doc) unfold(line int) {
	if d.folds == nil {
		return
	}
	for i := d.lines[line].node - 1; i >= 0; i = d.nodes[i].parent {
		if line > int(d.nodes[i].head) && d.folded(i) {
			flip(&d.folds.odd, i)
		}
	}
}

// place is the line where a node begins, as it is shown.
func (d *doc) place(i int32) int {
	if d.stands(i) {
		return int(d.nodes[i].alt)
	}
	return int(d.nodes[i].first)
}

// tail is what stands behind the line of a folded node; nothing behind others.
func (d *doc) tail(line int, th *term.Theme, dots string) []term.Seg {
	if d.folds == nil {
		return nil
	}
	i := d.lines[line].node - 1
	if i < 0 || int(d.nodes[i].head) != line || !d.folded(i) {
		return nil
	}
	n := &d.nodes[i]
	if n.open == 0 {
		return []term.Seg{term.S(th.Dim, safe.Text(" "+dots))}
	}
	more, end := safe.Text(""), safe.Text("}")
	if n.open == '[' {
		end = "]"
	}
	if n.cut {
		more = "+"
	}
	if raw := d.lines[n.last].raw; raw != "" && raw[len(raw)-1] == ',' && !n.cut {
		end += ","
	}
	return []term.Seg{term.S(th.Dim, safe.Text(" "+dots+" ")+term.Number(int(n.count))+more+" "), term.S(term.Plain, end)}
}
