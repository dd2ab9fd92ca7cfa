package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/document"
)

// diffView is the screen of two answers beside each other.
type diffView struct {
	open    bool
	call    int
	lines   []DiffLine
	loading bool
	err     string
	unified bool
	chosen  bool // the user chose between split and unified
	at      int  // line of the change that is looked at, -1 for none
	top     int  // row
	height  int

	rows []diffRow // lines as they stand on the screen
	w    int       // for which rows were made
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

// openDiff shows the two answers to the selected call.
func (m *Model) openDiff() tea.Cmd {
	p := &m.replay
	call, ok := p.selected()
	if !ok {
		return nil
	}
	p.diff = diffView{open: true, call: call, loading: true, at: -1, unified: p.diff.unified, chosen: p.diff.chosen}
	return m.loadLines()
}

func (m *Model) loadLines() tea.Cmd {
	c, call, by := m.replay.result, m.replay.diff.call, m.opts.Replayer
	return func() tea.Msg {
		lines, err := by.Lines(c, call)
		return linesMsg{c, call, lines, err}
	}
}

func (p *replays) takeLines(m *Model, msg linesMsg) {
	d := &p.diff
	if msg.of != p.result || msg.call != d.call || !d.open {
		return
	}
	d.lines, d.loading, d.rows, d.err = msg.lines, false, nil, ""
	if msg.err != nil {
		d.err = msg.err.Error()
	}
	m.layDiff(m.lay.replay.w)
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
	for i := range d.rows {
		if d.rows[i].line == d.at {
			if i < d.top || i >= d.top+d.height-1 {
				d.top = i - d.height/3
			}
			d.scroll(0)
			return
		}
	}
}

func (d *diffView) scroll(n int) {
	d.top = max(0, min(d.top+n, len(d.rows)-d.height))
}

// isSplit says whether the answers stand in two columns.
func (d *diffView) isSplit(w int) bool {
	if d.chosen {
		return !d.unified && w >= 60
	}
	return w >= splitFrom
}

// layDiff makes the rows of the lines for a width.
func (m *Model) layDiff(w int) {
	d := &m.replay.diff
	split := d.isSplit(w)
	if d.rows != nil && d.w == w && d.mode == split {
		return
	}
	d.rows, d.w, d.mode = []diffRow{}, w, split
	for i := 0; i < len(d.lines); i++ {
		if split {
			d.addSplit(i, (w-1)/2-4)
			continue
		}
		i = d.addUnified(i, w-5)
	}
	d.scroll(0)
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
		d.rows = append(d.rows, r)
	}
}

// addUnified adds line i and those of the same difference behind it: first what
// was, then what is. It returns the last of them.
func (d *diffView) addUnified(i, w int) int {
	last := i
	for k := d.lines[i].Kind; k != DiffSame && last+1 < len(d.lines) && d.lines[last+1].Path == d.lines[i].Path && d.lines[last+1].Kind == k; {
		last++
	}
	add := func(text string, at int, sign byte) {
		for _, s := range pieces(text, w) {
			d.rows = append(d.rows, diffRow{left: s, kind: d.lines[at].Kind, line: at, sign: sign})
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

// diffDo carries out what a key means on the diff.
func (m *Model) diffDo(a action) (cmd tea.Cmd, mine bool) {
	p, d := &m.replay, &m.replay.diff
	switch a {
	case actBack:
		d.open = false
	case actNextHit, actPrevHit:
		n := 1
		if a == actPrevHit {
			n = -1
		}
		if !d.step(n) {
			return m.complain("no further change"), true
		}
	case actFrames:
		d.unified, d.chosen = d.isSplit(m.lay.replay.w), true
		m.layDiff(m.lay.replay.w)
		d.reveal()
	case actIgnore:
		return m.ignorePath(), true
	case actCopyReport:
		return clipboard(m, p.markdown(d.call), "difference"), true
	case actResend:
		return m.again(), true
	case actNextProblem, actPrevProblem:
		n := 1
		if a == actPrevProblem {
			n = -1
		}
		p.move(n)
		return m.openDiff(), true
	default:
		return nil, !holdsOnScreens(a)
	}
	return nil, true
}

// ignorePath notes that the difference that is looked at does not count.
func (m *Model) ignorePath() tea.Cmd {
	p, d := &m.replay, &m.replay.diff
	if d.at < 0 || d.at >= len(d.lines) || d.lines[d.at].Path == "" {
		return m.complain("choose a change first: n goes to the next one")
	}
	c, call, path, by := p.result, d.call, d.lines[d.at].Path, m.opts.Replayer
	return func() tea.Msg {
		less, err := by.Ignore(c, call, path)
		return ignoredMsg{c, less, path, err}
	}
}

func (m *Model) takeIgnored(msg ignoredMsg) tea.Cmd {
	p := &m.replay
	m.dirty = true
	if msg.err != nil {
		return m.complain("the rule cannot be kept: " + troubleText(msg.err))
	}
	if p.result != msg.was {
		return nil
	}
	at := p.diff.at
	p.result = msg.result
	p.sift()
	said := m.say(safe.Line(msg.path) + " is not compared any more; the rule is kept beside the recording")
	if !p.diff.open {
		return said
	}
	p.diff.at = at
	return tea.Batch(said, m.loadLines())
}
