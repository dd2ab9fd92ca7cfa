package document

import (
	"slices"
	"strings"
	"unicode/utf8"

	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/session/words"
)

const maxHits = 10_000 // of one text in one document

// Search is what is looked for in a document: the text of the list's filter, so that a row found by its
// payload shows where. It is looked for in what came from the wire only, and stays for other documents.
type Search struct {
	text  string
	Hits  [][]span // one hit each; more than one span when it is broken at the end of a line
	lines []int    // of the first span of each hit
	At    int      // the hit where the reader is
}

// Look looks for another text and goes to its first hit at or below the top of the pane.
func (d *Viewer) Look(text string) {
	f := &d.Search
	f.text = text
	f.In(&d.Doc)
	f.At = 0
	for f.At < len(f.lines)-1 && f.lines[f.At] < d.top {
		f.At++
	}
	d.NextHit(0)
}

// In finds the text in a document, across lines that are broken.
func (f *Search) In(d *Doc) {
	f.Hits, f.lines = nil, nil
	want := words.Fold(f.text)
	if want == "" || !utf8.ValidString(want) { // what is shown is UTF-8
		return
	}
	escaped := string(jsonpath.Quote(nil, want)) // a string of JSON is shown with its \" and \\
	escaped = escaped[1 : len(escaped)-1]
	for i := 0; i < len(d.Lines) && len(f.Hits) < maxHits; {
		end := d.end(i)
		if d.Lines[i].fromWire() {
			f.lookIn(d.Lines[i:end], i, want, escaped)
		}
		i = end
	}
	f.At = max(0, min(f.At, len(f.Hits)-1))
}

func (f *Search) lookIn(lines []Line, first int, want, escaped string) {
	all, starts := joined(lines)
	text := words.Fold(all)
	for from := 0; len(f.Hits) < maxHits; {
		n, size := strings.Index(text[from:], want), len(want)
		if n < 0 && escaped != want {
			n, size = strings.Index(text[from:], escaped), len(escaped)
		}
		if n < 0 {
			return
		}
		a, b := from+n, from+n+size
		from = b
		k := 0
		for k+1 < len(starts) && starts[k+1] <= a {
			k++
		}
		f.lines = append(f.lines, first+k)
		f.Hits = append(f.Hits, spread(lines[k:], starts[k:], len(all), a, b))
	}
}

// joined is the text of a line that was broken into some, and where the text of
// each of them begins in it.
func joined(lines []Line) (text string, starts []int) {
	starts = make([]int, len(lines))
	if len(lines) == 1 {
		return lines[0].Text(), starts
	}
	var all strings.Builder
	for i := range lines {
		starts[i] = all.Len()
		all.WriteString(lines[i].Text())
	}
	return all.String(), starts
}

// spread is a stretch of joined text, all bytes long, on the lines that it stands
// on: one span for each, up to the last.
func spread(lines []Line, starts []int, all, a, b int) (out []span) {
	for k := 0; k < len(starts) && starts[k] < b; k++ {
		end := all
		if k+1 < len(starts) {
			end = starts[k+1]
		}
		pad := max(0, lines[k].goes-1) - starts[k]
		out = append(out, span{from: max(a, starts[k]) + pad, to: min(b, end) + pad})
	}
	return out
}

// Text is what the line shows, without what indents a continued one.
func (dl *Line) Text() string {
	if dl.raw != "" {
		return string(safe.Unmarked(dl.raw[max(0, dl.goes-1):]))
	}
	var b strings.Builder
	for _, s := range dl.Segs {
		b.WriteString(string(s.Text))
	}
	return b.String()
}

// on lists what stands out on a line of the document, from left to right.
func (f *Search) on(line int) []span {
	var out []span
	i, _ := slices.BinarySearch(f.lines, max(0, line-maxBroken))
	for ; i < len(f.lines) && f.lines[i] <= line; i++ {
		if k := line - f.lines[i]; k < len(f.Hits[i]) {
			s := f.Hits[i][k]
			s.now = i == f.At
			out = append(out, s)
		}
	}
	return out
}

// maxBroken is how many lines one hit can spread over: a text of 200
// characters in a pane of at least eight cells.
const maxBroken = 200

// NextHit goes n hits further, round the ends, and scrolls there.
func (d *Viewer) NextHit(n int) {
	f := &d.Search
	if len(f.Hits) == 0 {
		return
	}
	f.At = (f.At + n + len(f.Hits)) % len(f.Hits)
	d.GoTo(f.lines[f.At])
}
