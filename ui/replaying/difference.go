package replaying

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/view"
)

// difference is the two responses to a call, beside each other or one below the other.
type difference struct {
	call    int
	lines   []replay.Line
	loading bool
	err     string
	at      int // line of the change that is looked at, -1 for none
	rows    view.Scroller

	laid   []diffRow // lines as they stand on the screen
	layout layout    // for which they were laid out
}

// layout is how lines are laid out: for a width, in two columns, with lines that are the
// same left out.
type layout struct {
	w            int
	split, folds bool
}

// diffRow is one row of the screen: a line, or a piece of one that is long.
type diffRow struct {
	left, right string // marked text
	kind        replay.LineKind
	line        int
	sign        byte // of a unified row: ' ', '-', '+' or '~'
	folded      int  // lines that this row stands for
	whole       bool // the row is a whole line, not a piece of one
}

// splitFrom is the width from which on two columns are legible.
const splitFrom = 100

func (d *difference) load(c *replay.Comparison, by Replayer) tea.Cmd {
	return func() tea.Msg {
		lines, err := by.Lines(c, d.call)
		return view.Then(func(view.Host) tea.Cmd {
			d.take(lines, err)
			return nil
		})
	}
}

func (d *difference) take(lines []replay.Line, err error) {
	d.lines, d.loading, d.laid, d.err = lines, false, nil, ""
	if err != nil {
		d.err = err.Error()
	}
	d.lay(d.layout)
	if d.at = min(d.at, len(d.lines)-1); d.at >= 0 && d.counts(d.at) || d.step(1) {
		return
	}
	d.at = -1 // what was looked at does not count any more: the first that does
	d.step(1)
}

func (d *difference) counts(i int) bool {
	k := d.lines[i].Kind
	return k != replay.LineSame && k != replay.LineIgnored
}

// step goes to the next or previous change: lines of one path are one.
func (d *difference) step(n int) bool {
	was := ""
	if d.at >= 0 {
		was = d.lines[d.at].Path
	}
	for i := d.at + n; i >= 0 && i < len(d.lines); i += n {
		if d.counts(i) && d.lines[i].Path != was {
			for n < 0 && i > 0 && d.counts(i-1) && d.lines[i-1].Path == d.lines[i].Path {
				i--
			}
			d.at = i
			d.reveal()
			return true
		}
	}
	return false
}

func (d *difference) reveal() {
	for i := range d.laid {
		if d.laid[i].line == d.at {
			if s := &d.rows; i < s.Top || i >= s.Top+s.Height-1 {
				s.Top = i - s.Height/3
			}
			d.rows.Scroll(0)
			return
		}
	}
}

// lay makes the rows of the lines.
func (d *difference) lay(l layout) {
	if d.laid != nil && d.layout == l {
		return
	}
	d.laid, d.layout = []diffRow{}, l
	for i := 0; i < len(d.lines); i++ {
		if n := d.same(i); l.folds && n > foldFrom {
			d.laid = append(d.laid, diffRow{line: i, folded: n})
			i += n - 1
			continue
		}
		if l.split {
			d.addSplit(i, l.w/2-4)
			continue
		}
		i = d.addUnified(i, l.w-5)
	}
	d.rows.Fit(len(d.laid), d.rows.Height)
	if d.at >= 0 {
		d.reveal()
	}
}

// foldFrom is how many lines that are the same stay.
const foldFrom = 2

func (d *difference) same(i int) int {
	n := 0
	for i+n < len(d.lines) && d.lines[i+n].Kind == replay.LineSame {
		n++
	}
	return n
}

func (d *difference) addSplit(i, w int) {
	l := &d.lines[i]
	left, right := pieces(l.Was, w), pieces(l.Now, w)
	for j := range max(len(left), len(right)) {
		r := diffRow{kind: l.Kind, line: i, whole: len(left) <= 1 && len(right) <= 1}
		if j < len(left) {
			r.left = left[j]
		}
		if j < len(right) {
			r.right = right[j]
		}
		d.laid = append(d.laid, r)
	}
}

// addUnified adds line i and those of the same difference behind it: first what
// was, then what is. It returns the last of them.
func (d *difference) addUnified(i, w int) int {
	last := i
	same := func(l *replay.Line) bool { return l.Path == d.lines[i].Path && l.Kind == d.lines[i].Kind }
	for d.lines[i].Kind != replay.LineSame && last+1 < len(d.lines) && same(&d.lines[last+1]) {
		last++
	}
	add := func(text string, at int, sign byte) {
		all := pieces(text, w)
		for _, s := range all {
			row := diffRow{left: s, kind: d.lines[at].Kind, line: at, sign: sign, whole: len(all) == 1}
			d.laid = append(d.laid, row)
		}
	}
	kind := d.lines[i].Kind
	if kind == replay.LineSame {
		add(d.lines[i].Was, i, ' ')
		return i
	}
	was, now := byte('-'), byte('+')
	if kind == replay.LineIgnored {
		was, now = '~', '~'
	}
	for at := i; at <= last; at++ {
		add(d.lines[at].Was, at, was)
	}
	for at := i; at <= last; at++ {
		add(d.lines[at].Now, at, now)
	}
	return last
}

// pieces breaks a line from the wire where the column ends; what goes on is
// indented as the line is.
func pieces(text string, w int) (out []string) {
	if text == "" {
		return nil
	}
	w = max(w, 8)
	s := safe.Marked(text)
	pad := strings.Repeat(" ", min(len(s)-len(strings.TrimLeft(s, " "))+2, w/3))
	for room, prefix := w, ""; s != ""; room, prefix = w-len(pad), pad {
		n := document.Fit(s, room)
		if blank := strings.LastIndexByte(s[:n], ' '); n < len(s) && blank > n*2/3 {
			n = blank + 1
		}
		out = append(out, prefix+s[:n])
		s = s[n:]
	}
	return out
}
