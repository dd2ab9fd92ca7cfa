package ui

import (
	"cmp"
	"slices"
	"strings"
)

const maxHits = 10_000 // of one text in one document

// search is what is looked for in a document. It stays when another document is
// shown.
type docSearch struct {
	text   string
	filter string   // looked for while text is empty: what the filter of the list looks for
	hits   [][]span // one hit each; more than one span when it is broken at the end of a line
	lines  []int    // of the first span of each hit
	at     int      // the hit where the reader is
}

// look looks for another text and goes to its first hit at or below the top of
// the pane.
func (d *viewer) look(text string) {
	f := &d.search
	f.text = text
	f.in(&d.doc)
	f.at = 0
	for f.at < len(f.lines)-1 && f.lines[f.at] < d.top {
		f.at++
	}
	d.toHit(0)
}

// follow looks for what the filter of the list looks for, so that a row found
// by its payload shows where.
func (d *viewer) follow(text string) {
	d.search.filter = text
	d.search.in(&d.doc)
}

// in finds the text in a document, across lines that are broken.
func (f *docSearch) in(d *doc) {
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
func (f *docSearch) lookIn(lines []docLine, first int, want string) {
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
func (f *docSearch) on(line int) []span {
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

// toHit goes n hits further, round the ends, and scrolls there.
func (d *viewer) toHit(n int) {
	f := &d.search
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
