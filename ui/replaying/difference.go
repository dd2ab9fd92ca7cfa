package replaying

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/replay"
	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/view"
)

// Difference is the screen of two answers beside each other.
type Difference struct {
	of      *Comparison
	call    int
	lines   []replay.Line
	loading bool
	err     string
	at      int // line of the change that is looked at, -1 for none
	rows    view.Scroller
	folds   bool               // lines that are the same are left out
	result  *replay.Comparison // that lines were asked for of, beside the calls

	laid []diffRow // lines as they stand on the screen
	w    int       // for which they were laid out
	mode bool
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

// What view.View asks for.
func (d *Difference) Area() keymap.Area                 { return keymap.Differences }
func (d *Difference) Name() safe.Text                   { return "difference" }
func (d *Difference) Scroller() *view.Scroller          { return &d.rows }
func (d *Difference) Refresh(view.Host) tea.Cmd         { return nil }
func (d *Difference) Click(view.Host, int, int) tea.Cmd { return nil }

func (d *Difference) load() tea.Cmd {
	c, call, by := d.of.result, d.call, d.of.runs.by
	return func() tea.Msg {
		lines, err := by.Lines(c, call)
		return view.Then(func(view.Host) tea.Cmd {
			if c == d.of.result && call == d.call {
				d.take(lines, err)
			}
			return nil
		})
	}
}

func (d *Difference) take(lines []replay.Line, err error) {
	d.lines, d.loading, d.laid, d.err = lines, false, nil, ""
	if err != nil {
		d.err = err.Error()
	}
	d.lay(d.w, d.mode)
	if d.at = min(d.at, len(d.lines)-1); d.at >= 0 && d.counts(d.at) || d.step(1) {
		return
	}
	d.at = -1 // what was looked at does not count any more: the first that does
	d.step(1)
}

func (d *Difference) counts(i int) bool {
	k := d.lines[i].Kind
	return k != replay.LineSame && k != replay.LineIgnored
}

// step goes to the next or previous change: lines of one path are one.
func (d *Difference) step(n int) bool {
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

func (d *Difference) reveal() {
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

// isSplit says whether the answers stand in two columns.
func (d *Difference) isSplit(w int) bool {
	return w >= splitFrom
}

// lay makes the rows of the lines for a width, in two columns where it is split.
func (d *Difference) lay(w int, split bool) {
	if d.laid != nil && d.w == w && d.mode == split {
		return
	}
	d.laid, d.w, d.mode = []diffRow{}, w, split
	for i := 0; i < len(d.lines); i++ {
		if n := d.same(i); d.folds && n > foldFrom {
			d.laid = append(d.laid, diffRow{line: i, folded: n})
			i += n - 1
			continue
		}
		if split {
			d.addSplit(i, w/2-4)
			continue
		}
		i = d.addUnified(i, w-5)
	}
	d.rows.Fit(len(d.laid), d.rows.Height)
	if d.at >= 0 {
		d.reveal()
	}
}

// foldFrom is how many lines that are the same stay.
const foldFrom = 2

func (d *Difference) same(i int) int {
	n := 0
	for i+n < len(d.lines) && d.lines[i+n].Kind == replay.LineSame {
		n++
	}
	return n
}

func (d *Difference) addSplit(i, w int) {
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
func (d *Difference) addUnified(i, w int) int {
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

// Commands implements view.View.
func (d *Difference) Commands(h view.Host) []keymap.Command {
	changes := keymap.Hits("change", "change", nil, func(n int) tea.Cmd {
		if !d.step(n) {
			return h.Complain("no further change")
		}
		return nil
	})
	calls := keymap.Problems("call", "call", nil, d.other)
	of := d.of
	return []keymap.Command{
		changes[0], changes[1], calls[0], calls[1],
		keymap.Copy("copy as Markdown", "copy", nil, func() tea.Cmd { return h.Copy(markdownOf(of.result, d.call), "difference") }),
		{
			ID: "replay.edit", In: keymap.Differences, Key: keymap.Bind("e", "e", "edit the request, send it"), Hint: "edit",
			Group: keymap.Act, Why: of.whyNotEdit, Run: of.edit,
		},
		{
			ID: "replay.resend", In: keymap.Differences, Key: keymap.Bind("r", "r", "replay again"), Hint: "again",
			Group: keymap.Act, Why: of.whyNotAgain, Run: of.again,
		},
	}
}

func (d *Difference) other(n int) tea.Cmd {
	d.of.lines.Move(n)
	other, ok := d.of.selected()
	if !ok {
		return nil
	}
	*d = *d.of.difference(other)
	return d.load()
}
