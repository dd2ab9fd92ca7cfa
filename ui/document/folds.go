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

// folds is which values of a document are folded. Every change costs the same,
// however long the document is: a line is hidden or not by the nodes that it is in.
type folds struct {
	mode FoldMode
	odd  map[int32]bool // folded or not against the mode
}

func (f *folds) All(mode FoldMode) { f.mode, f.odd = mode, nil }

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

// Foldable says whether there is anything to fold in a node, as it is shown.
func (d *Doc) Foldable(i int32) bool {
	n := &d.Nodes[i]
	return n.last > n.head && (n.open != 0 || n.Stands)
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

// gap is a run of lines that are not shown: the one above stands for them.
type gap struct{ from, to int }

// hidden says whether a line is not shown, and which lines around it are not
// either.
func (d *Doc) hidden(line int) (g gap, ok bool) {
	if d.Folds == nil {
		return g, false
	}
	for i := d.Lines[line].node - 1; i >= 0; i = d.Nodes[i].Parent {
		if n := &d.Nodes[i]; line > int(n.head) && d.Folded(i) {
			g, ok = gap{int(n.head) + 1, int(n.last)}, true
		}
	}
	return g, ok
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
	if len(d.Lines) == 0 {
		return 0
	}
	if g, not := d.hidden(line); not {
		return g.from - 1
	}
	return line
}

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
