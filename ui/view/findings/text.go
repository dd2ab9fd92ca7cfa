package findings

import (
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// text is lines of the verdict or of the proof that are being written.
type text struct {
	document.Doc
	sc    *library.Scene
	folds []int // lines in which something is folded
}

// newText is for panels of w cells inside: the first cell is for the bar of a ground.
func newText(sc *library.Scene, w int) text {
	return text{sc: sc, Doc: document.Doc{Width: max(w-2, 8)}}
}

// add writes segments, which continue below themselves at an indentation.
func (t *text) add(indent int, segs ...term.Seg) { t.AddIndented(indent, segs) }

// missing is a line about what is not there, or wrong; issued one about what came.
func (t *text) missing() document.Line {
	return document.Line{Ground: t.sc.Theme.Removed, Bar: term.S(t.sc.Theme.Err, bar(t.sc, "-"))}
}

func (t *text) issued() document.Line {
	return document.Line{Ground: t.sc.Theme.Added, Bar: term.S(t.sc.Theme.Ok, bar(t.sc, "+"))}
}

func (t *text) folded(indent, n int, noun safe.Text) {
	th, pad := t.sc.Theme, safe.Repeat(" ", indent)
	t.folds = append(t.folds, len(t.Lines))
	t.add(indent+2, term.S(th.Key, pad+t.sc.Glyphs.Folded+" "), term.S(th.Dim, term.Count(n, noun)))
}

func (t *text) blank() {
	if n := len(t.Lines); n > 0 && len(t.Lines[n-1].Segs) > 0 {
		t.Blank()
	}
}

// bar is what stands before a line of a ground: its sign where grounds cannot be
// seen.
func bar(sc *library.Scene, sign safe.Text) safe.Text {
	if sc.Theme.Removed == "" {
		return sign
	}
	return sc.Glyphs.Bar
}

// frameAt is the frame whose number stands at a column of the line, 0 for none.
func frameAt(sc *library.Scene, x *document.Line, column int) uint64 {
	at := 1
	for _, s := range x.Segs {
		from := at
		at += term.Width(s.Text)
		if column < from || column >= at {
			continue
		}
		if digits, ok := strings.CutPrefix(strings.TrimSpace(string(s.Text)), "#"); ok && s.Style == sc.Theme.Key {
			n, _ := strconv.ParseUint(digits, 10, 64)
			return n
		}
	}
	return 0
}
