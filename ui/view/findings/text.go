package findings

import (
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// ground is what a line stands on.
type ground uint8

const (
	plain   ground = iota
	missing        // or wrong: red
	issued         // green
)

// textLine is a line of the verdict or of the proof.
type textLine struct {
	Segs  []term.Seg
	on    ground
	card  bool       // it is of the card
	folds bool       // something is folded in it
	right []term.Seg // at the right edge
	link  string     // the URL of what is underlined in it, "" for none
}

// text is lines of so many cells that are being written. The first cell of each
// is for the bar of its ground.
type text struct {
	sc    *library.Scene
	w     int
	lines []textLine
}

// add writes segments, which continue below themselves at an indentation.
func (t *text) add(indent int, segs ...term.Seg) { t.line(textLine{}, indent, segs...) }

// line is add for lines like another, of which only the first has something at
// its right.
func (t *text) line(like textLine, indent int, segs ...term.Seg) {
	room := t.w - 2
	if n := term.SegsWidth(like.right); n > 0 && term.SegsWidth(segs)+n+2 > room {
		room -= n + 2
	}
	for i, broken := range wrap(segs, max(room, 8), indent) {
		one := like
		one.Segs = broken
		if i > 0 {
			one.right = nil
		}
		t.lines = append(t.lines, one)
	}
}

// folded says how much is folded at an indentation.
func (t *text) folded(indent, n int, noun safe.Text) {
	th, pad := t.sc.Theme, safe.Repeat(" ", indent)
	sign := term.S(th.Key, pad+t.sc.Glyphs.Folded+" ")
	t.line(textLine{folds: true}, indent+2, sign, term.S(th.Dim, term.Count(n, noun)))
}

func (t *text) blank() {
	if n := len(t.lines); n > 0 && len(t.lines[n-1].Segs) > 0 {
		t.lines = append(t.lines, textLine{})
	}
}

// draw draws a line in w cells.
func (x *textLine) draw(sc *library.Scene, w int, card term.Style) string {
	l := term.NewLine(w, sc.Glyphs)
	th := sc.Theme
	switch {
	case x.card:
		l.Gap(1).Put(card, sc.Glyphs.Card)
	case x.on == missing:
		l.On(th.Removed).Put(th.Err, bar(sc, "-"))
	case x.on == issued:
		l.On(th.Added).Put(th.Ok, bar(sc, "+"))
	}
	l.Gap(1 - l.Used)
	for _, s := range x.Segs {
		if x.link != "" && strings.HasSuffix(string(s.Style), string(term.Underline)) {
			l.PutLink(s.Style, s.Text, x.link)
		} else {
			l.Put(s.Style, s.Text)
		}
	}
	if n := term.SegsWidth(x.right); n > 0 {
		l.Gap(w - 1 - n - l.Used)
		l.Segs(x.right)
	}
	return l.Finish()
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
func (x *textLine) frameAt(sc *library.Scene, column int) uint64 {
	at := 1
	if x.card {
		at++
	}
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
