package document

import (
	"midwire/session/safe"
	"midwire/ui/term"
)

// FoldMode is which values are folded but for those turned by hand.
type FoldMode uint8

const (
	foldAsMade FoldMode = iota
	FoldAll             // but the outermost value
	FoldNone
)

// folds is which values of a document are folded, and which strings are shown
// as what they stand for. Every change costs the same, however long the
// document is: a line is hidden or not by the nodes that it is in.
type folds struct {
	mode    FoldMode
	odd     map[int32]bool // folded or not against the mode
	written bool           // strings are shown as they are written
}

func (f *folds) All(mode FoldMode) { f.mode, f.odd = mode, nil }

func (f *folds) Forms(written bool) { f.written = written }

// Flip changes what a set holds.
func Flip(set *map[int32]bool, i int32) {
	if *set == nil {
		*set = map[int32]bool{}
	}
	if (*set)[i] {
		delete(*set, i)
		return
	}
	(*set)[i] = true
}

// Stands says whether a string is shown as what it stands for.
func (d *Doc) Stands(i int32) bool {
	return d.Nodes[i].alt > 0 && !d.Folds.written
}

// Foldable says whether there is anything to fold in a node, as it is shown.
func (d *Doc) Foldable(i int32) bool {
	n := &d.Nodes[i]
	return n.last > n.head && (n.open != 0 || d.Stands(i))
}

// Folded says whether the inside of a value is not shown.
func (d *Doc) Folded(i int32) bool {
	n := &d.Nodes[i]
	shut := n.shut
	switch d.Folds.mode {
	case FoldAll:
		shut = n.Parent >= 0
	case FoldNone:
		shut = false
	}
	return shut != d.Folds.odd[i] && d.Foldable(i)
}

// gap is a run of lines that are not shown.
type gap struct {
	from, to int
	below    bool // what stands for them is below them, not above
}

// hidden says whether a line is not shown, and which lines around it are not
// either.
func (d *Doc) hidden(line int) (g gap, ok bool) {
	if d.Folds == nil {
		return g, false
	}
	for i := d.Lines[line].node - 1; i >= 0; i = d.Nodes[i].Parent {
		if form, not := d.otherForm(i, line); not {
			g, ok = form, true
		}
		if n := &d.Nodes[i]; line > int(n.head) && d.Folded(i) {
			g, ok = gap{from: int(n.head) + 1, to: int(n.last)}, true
		}
	}
	return g, ok
}

// otherForm says whether a line is of the form of a string that is not shown.
func (d *Doc) otherForm(i int32, line int) (g gap, ok bool) {
	n := &d.Nodes[i]
	switch {
	case n.alt == 0:
		return g, false
	case d.Stands(i):
		return gap{int(n.first), int(n.alt) - 1, true}, line < int(n.alt)
	}
	return gap{from: int(n.alt), to: int(n.last)}, line >= int(n.alt)
}

// unread says whether a line is of a form that is not shown, whatever is
// folded: nothing is looked for there.
func (d *Doc) unread(line int) bool {
	if d.Folds == nil {
		return false
	}
	for i := d.Lines[line].node - 1; i >= 0; i = d.Nodes[i].Parent {
		if _, not := d.otherForm(i, line); not {
			return true
		}
	}
	return false
}

// step goes n shown lines down, or up, as far as there are any. line is shown.
func (d *Doc) step(line, n int) int {
	if far := len(d.Lines); n >= far {
		return d.Near(far - 1)
	} else if n <= -far {
		return d.Near(0)
	}
	for ; n > 0; n-- {
		next := line + 1
		for next < len(d.Lines) {
			g, not := d.hidden(next)
			if !not {
				break
			}
			next = g.to + 1
		}
		if next >= len(d.Lines) {
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

// Near is the line itself when it is shown, or else the one that stands for it.
func (d *Doc) Near(line int) int {
	line = max(0, min(line, len(d.Lines)-1))
	for len(d.Lines) > 0 {
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
func (d *Doc) unfold(line int) {
	if d.Folds == nil {
		return
	}
	for i := d.Lines[line].node - 1; i >= 0; i = d.Nodes[i].Parent {
		if line > int(d.Nodes[i].head) && d.Folded(i) {
			Flip(&d.Folds.odd, i)
		}
	}
}

// Seen are the lines that are shown.
func (d *Doc) Seen() (out []Line) {
	for i := 0; i < len(d.Lines); i++ {
		if _, not := d.hidden(i); !not {
			out = append(out, d.Lines[i])
		}
	}
	return out
}

// Place is the line where a node begins, as it is shown.
func (d *Doc) Place(i int32) int {
	if d.Stands(i) {
		return int(d.Nodes[i].alt)
	}
	return int(d.Nodes[i].first)
}

// tail is what stands behind the line of a folded node; nothing behind others.
func (d *Doc) tail(line int, th *term.Theme, dots safe.Text) []term.Seg {
	if d.Folds == nil {
		return nil
	}
	i := d.Lines[line].node - 1
	if i < 0 || int(d.Nodes[i].head) != line || !d.Folded(i) {
		return nil
	}
	n := &d.Nodes[i]
	if n.open == 0 {
		return []term.Seg{term.S(th.Dim, " "+dots)}
	}
	more, end := safe.Text(""), safe.Text("}")
	if n.open == '[' {
		end = "]"
	}
	if n.Cut {
		more = "+"
	}
	if raw := d.Lines[n.last].raw; raw != "" && raw[len(raw)-1] == ',' && !n.Cut {
		end += ","
	}
	if n.above {
		what := safe.Text("member")
		if n.open == '[' {
			what = "item"
		}
		amount := term.Count(int(n.count), what) + more + ", " + term.Bytes(int(n.To-n.From)) + ": shown above "
		return []term.Seg{term.S(th.Dim, " "+amount), term.S(term.Plain, end)}
	}
	return []term.Seg{term.S(th.Dim, " "+dots+" "+term.Number(int(n.count))+more+" "), term.S(term.Plain, end)}
}
