package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
	"midwire/ui/keymap"
	"midwire/ui/view"
)

// diffView is the screen of two answers beside each other.
type diffView struct {
	of      *compareView
	call    int
	lines   []DiffLine
	loading bool
	err     string
	at      int // line of the change that is looked at, -1 for none
	rows    view.Scroller

	laid []diffRow // lines as they stand on the screen
	w    int       // for which they were laid out
	mode bool
}

// diffRow is one row of the screen: a line, or a piece of one that is long.
type diffRow struct {
	left, right string // marked text
	kind        DiffKind
	line        int
	sign        byte // of a unified row: ' ', '-', '+' or '~'
}

// splitFrom is the width from which on two columns are legible.
const splitFrom = 100

func (d *diffView) Area() keymap.Area         { return keymap.Differences }
func (d *diffView) Name() safe.Text           { return "difference" }
func (d *diffView) Scroller() *view.Scroller  { return &d.rows }
func (d *diffView) Refresh(view.Host) tea.Cmd { return nil }

func (d *diffView) Click(view.Host, int, int) tea.Cmd { return nil }

// load asks for the lines.
func (d *diffView) load() tea.Cmd {
	c, call, by := d.of.result, d.call, d.of.by
	return func() tea.Msg {
		lines, err := by.Lines(c, call)
		return linesMsg{d, c, call, lines, err}
	}
}

// take takes them in.
func (d *diffView) take(msg linesMsg) {
	if msg.of != d.of.result || msg.call != d.call {
		return
	}
	d.lines, d.loading, d.laid, d.err = msg.lines, false, nil, ""
	if msg.err != nil {
		d.err = msg.err.Error()
	}
	d.lay(d.w)
	if d.at = min(d.at, len(d.lines)-1); d.at >= 0 && d.counts(d.at) || d.step(1) {
		return
	}
	d.at = -1 // what was looked at does not count any more: the first that does
	d.step(1)
}

// counts says whether a line is part of a difference.
func (d *diffView) counts(i int) bool {
	k := d.lines[i].Kind
	return k != DiffSame && k != DiffIgnored
}

// step goes to the next or previous change: lines of one path are one.
func (d *diffView) step(n int) bool {
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

func (d *diffView) reveal() {
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
func (d *diffView) isSplit(w int) bool {
	if d.of.how.chosen {
		return !d.of.how.unified && w >= 60
	}
	return w >= splitFrom
}

// lay makes the rows of the lines for a width.
func (d *diffView) lay(w int) {
	split := d.isSplit(w)
	if d.laid != nil && d.w == w && d.mode == split {
		return
	}
	d.laid, d.w, d.mode = []diffRow{}, w, split
	for i := 0; i < len(d.lines); i++ {
		if split {
			d.addSplit(i, (w-1)/2-4)
			continue
		}
		i = d.addUnified(i, w-5)
	}
	d.rows.Fit(len(d.laid), d.rows.Height)
	if d.at >= 0 {
		d.reveal()
	}
}

func (d *diffView) addSplit(i, w int) {
	l := &d.lines[i]
	left, right := pieces(l.Was, w), pieces(l.Now, w)
	for j := range max(len(left), len(right)) {
		r := diffRow{kind: l.Kind, line: i}
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
func (d *diffView) addUnified(i, w int) int {
	last := i
	same := func(l *DiffLine) bool { return l.Path == d.lines[i].Path && l.Kind == d.lines[i].Kind }
	for d.lines[i].Kind != DiffSame && last+1 < len(d.lines) && same(&d.lines[last+1]) {
		last++
	}
	add := func(text string, at int, sign byte) {
		for _, s := range pieces(text, w) {
			d.laid = append(d.laid, diffRow{left: s, kind: d.lines[at].Kind, line: at, sign: sign})
		}
	}
	kind := d.lines[i].Kind
	if kind == DiffSame {
		add(d.lines[i].Was, i, ' ')
		return i
	}
	was, now := byte('-'), byte('+')
	if kind == DiffIgnored {
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

func (d *diffView) Commands(h view.Host) []keymap.Command {
	change := func(n int) func() tea.Cmd {
		return func() tea.Cmd {
			if !d.step(n) {
				return h.Complain("no further change")
			}
			return nil
		}
	}
	call := func(n int) func() tea.Cmd { return func() tea.Cmd { return d.other(n) } }
	of := d.of
	return []keymap.Command{
		{ID: "differences.next-hit", Key: keymap.Bind("n", "n N", "next, previous change"), Title: "next change", Hint: "change", Group: keymap.Move, Run: change(1)},
		{ID: "differences.previous-hit", Key: keymap.Bind("N", "", ""), Title: "previous change", Run: change(-1)},
		{ID: "differences.next-problem", Key: keymap.Bind("]", "] [", "next, previous call"), Title: "next call", Hint: "call", Group: keymap.Move, Run: call(1)},
		{ID: "differences.previous-problem", Key: keymap.Bind("[", "", ""), Title: "previous call", Run: call(-1)},
		{ID: "differences.back", Key: keymap.Bind("esc h left", "esc", "back to the calls"), Hint: "back", Group: keymap.Move, Run: func() tea.Cmd { return h.Run("global.back") }},
		{ID: "differences.frames", Key: keymap.Bind("v", "v", "side by side, or unified"), Hint: keymap.When(h.Scene().Width >= 60, "split"), Group: keymap.Look, Run: keymap.Do(func() {
			of.how = diffChoice{unified: d.isSplit(d.w), chosen: true}
			d.lay(d.w)
			d.reveal()
		})},
		{ID: "differences.ignore", Key: keymap.Bind("u", "u", "do not compare this path"), Hint: "ignore", Group: keymap.Act, Why: d.whyNotIgnore, Run: d.ignore},
		{
			ID: "differences.copy-report", Key: keymap.Bind("y", "y", "copy as Markdown"), Hint: "copy", Group: keymap.Act,
			Run: func() tea.Cmd { return h.Copy(markdownOf(of.result, d.call), "difference") },
		},
		{
			ID: "differences.edit", Key: keymap.Bind("e", "e", "edit the request, send it"), Hint: "edit", Group: keymap.Act, Why: func() safe.Text { return of.runs.whyNotEdit(of) },
			Run: func() tea.Cmd { return of.runs.editCompared(of) },
		},
		{
			ID: "differences.resend", Key: keymap.Bind("r", "r", "replay again"), Hint: "again", Group: keymap.Act, Why: func() safe.Text { return of.runs.whyNotAgain(of) },
			Run: func() tea.Cmd { return of.runs.again(of) },
		},
	}
}

// other goes to the call that many lines further.
func (d *diffView) other(n int) tea.Cmd {
	d.of.lines.Move(n)
	other := d.of.difference()
	if other == nil {
		return nil
	}
	*d = *other
	return d.load()
}

// whyNotIgnore says why there is no change to leave out.
func (d *diffView) whyNotIgnore() safe.Text {
	chosen := d.at >= 0 && d.at < len(d.lines) && d.lines[d.at].Path != ""
	return keymap.Unless(chosen, "choose a change first: n goes to the next one")()
}

// ignore notes that the difference that is looked at does not count.
func (d *diffView) ignore() tea.Cmd {
	c, call, path, by := d.of.result, d.call, d.lines[d.at].Path, d.of.by
	return func() tea.Msg {
		less, err := by.Ignore(c, call, path)
		return ignoredMsg{d, c, less, path, err}
	}
}

func (m *Model) takeIgnored(msg ignoredMsg) tea.Cmd {
	if msg.err != nil {
		return m.complain("the rule cannot be kept: " + troubleText(msg.err))
	}
	of := msg.view.of
	if of.result != msg.was {
		return nil
	}
	of.result = msg.result
	of.sift()
	said := m.say(safe.Line(msg.path) + " is not compared any more; the rule is kept beside the recording")
	return tea.Batch(said, msg.view.load())
}
