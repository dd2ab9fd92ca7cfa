package ui

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"midwire/session/safe"
	"midwire/ui/query"
	"midwire/ui/term"
)

const maxHits = 10_000 // of one text in one document

// find is the search inside the detail pane. Its hits are those in the document
// shown; it stays when another row or tab is shown, until esc.
type find struct {
	input   textinput.Model
	editing bool
	text    string
	filter  string // looked for while text is empty: what the filter of the list looks for
	before  string
	hits    [][]span // one hit each; more than one span when it is broken at the end of a line
	lines   []int    // of the first span of each hit
	at      int      // the hit where the reader is
}

func newFind() find {
	in := textinput.New()
	in.SetVirtualCursor(false)
	in.CharLimit = 200
	return find{input: in}
}

func (f *find) edit() tea.Cmd {
	f.editing, f.before = true, f.text
	f.input.SetValue(f.text)
	f.input.CursorEnd()
	return f.input.Focus()
}

// key edits the text; the pane follows with every key.
func (f *find) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch k.String() {
	case "ctrl+c":
		return m.quit(true)
	case "enter":
		f.done()
		return nil
	case "esc":
		f.done()
		f.set(m, f.before)
		return nil
	case "up", "down":
		return nil
	}
	return f.update(m, k)
}

func (f *find) update(m *Model, msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	f.input, cmd = f.input.Update(msg)
	if v := f.input.Value(); v != f.text {
		f.set(m, v)
	}
	return cmd
}

func (f *find) done() {
	f.editing = false
	f.input.Blur()
}

// set looks for another text and goes to its first hit at or below the top of
// the pane.
func (f *find) set(m *Model, text string) {
	d := &m.detail
	f.text = text
	f.look(&d.doc)
	f.at = 0
	for f.at < len(f.lines)-1 && f.lines[f.at] < d.top {
		f.at++
	}
	f.step(d, 0)
}

// follow looks for what the filter of the list looks for, so that a row found
// by its payload shows where.
func (f *find) follow(d *doc, q *query.Query) {
	f.filter = q.Wanted()
	f.look(d)
}

// look finds the text in a document, across lines that are broken.
func (f *find) look(d *doc) {
	f.hits, f.lines = nil, nil
	want := strings.ToLower(cmp.Or(f.text, f.filter))
	if want == "" {
		return
	}
	for i := 0; i < len(d.lines) && len(f.hits) < maxHits; {
		end := i + 1
		for end < len(d.lines) && d.lines[end].goes > 0 {
			end++
		}
		if !d.unread(i) {
			f.lookIn(d.lines[i:end], i, want)
		}
		i = end
	}
	f.at = max(0, min(f.at, len(f.hits)-1))
}

// lookIn finds the text in one line that was broken into some.
func (f *find) lookIn(lines []docLine, first int, want string) {
	var all strings.Builder
	starts := make([]int, len(lines)) // of the lines' text in all
	for i := range lines {
		starts[i] = all.Len()
		all.WriteString(lines[i].text())
	}
	text := lower(all.String())
	for from := 0; len(f.hits) < maxHits; {
		n := strings.Index(text[from:], want)
		if n < 0 {
			return
		}
		a, b := from+n, from+n+len(want)
		from = b
		k := 0
		for k+1 < len(starts) && starts[k+1] <= a {
			k++
		}
		f.lines = append(f.lines, first+k)
		var hit []span
		for ; k < len(starts) && starts[k] < b; k++ {
			end := all.Len()
			if k+1 < len(starts) {
				end = starts[k+1]
			}
			pad := max(0, lines[k].goes-1) - starts[k]
			hit = append(hit, span{from: max(a, starts[k]) + pad, to: min(b, end) + pad})
		}
		f.hits = append(f.hits, hit)
	}
}

// lower is strings.ToLower where that keeps every byte in its place.
func lower(s string) string {
	if low := strings.ToLower(s); len(low) == len(s) {
		return low
	}
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// text is what the line shows, without what indents a continued one.
func (dl *docLine) text() string {
	if dl.raw != "" {
		return string(unmarked(dl.raw[max(0, dl.goes-1):]))
	}
	var b strings.Builder
	for _, s := range dl.segs {
		b.WriteString(string(s.Text))
	}
	return b.String()
}

// on lists what stands out on a line of the document, from left to right.
func (f *find) on(line int) []span {
	var out []span
	i, _ := slices.BinarySearch(f.lines, max(0, line-maxBroken))
	for ; i < len(f.lines) && f.lines[i] <= line; i++ {
		if k := line - f.lines[i]; k < len(f.hits[i]) {
			s := f.hits[i][k]
			s.now = i == f.at
			out = append(out, s)
		}
	}
	return out
}

// maxBroken is how many lines one hit can spread over: a text of 200
// characters in a pane of at least eight cells.
const maxBroken = 200

// step goes n hits further, round the ends, and scrolls there.
func (f *find) step(d *detail, n int) {
	if len(f.hits) == 0 {
		return
	}
	f.at = (f.at + n + len(f.hits)) % len(f.hits)
	d.goTo(f.lines[f.at])
	if !d.wide {
		d.left = 0
		return
	}
	// Bytes stand for cells here: near enough to bring the hit into view.
	if s := f.hits[f.at][0]; s.from < d.left || s.to > d.left+d.width {
		d.left = max(0, s.from-d.width/3)
	}
}

// draw writes the search line; it returns the column of the cursor, -1 for
// none.
func (f *find) draw(l *term.Line, m *Model) int {
	l.Gap(1).Put(m.th.Key, "find ")
	text := []rune(f.text)
	at := l.Used + term.Width(safe.Line(string(text[:min(f.input.Position(), len(text))])))
	l.PutMax(term.Plain, safe.Line(f.text), l.Max-26-l.Used).Gap(3)
	switch {
	case f.text == "":
		l.Put(m.th.Dim, "a text in this tab")
	case len(f.hits) == 0:
		l.Put(m.th.Warn, "not in this tab")
	default:
		l.Put(m.th.Dim, term.Number(f.at+1)+" of "+term.Number(len(f.hits)))
	}
	if !f.editing {
		const esc = "n N next, previous   esc clears "
		if l.Used+len(esc)+2 <= l.Max {
			l.Gap(l.Max-len(esc)-l.Used).Put(m.th.Dim, esc)
		}
		return -1
	}
	return min(at, l.Max-1)
}
