package document

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"midwire/ui/term"
)

// Link is a value from which one goes somewhere: it is underlined wherever it
// stands in a document.
type Link struct {
	Text  string
	Name  string     // of the member that holds it: a short text stands for other things too
	Style term.Style // of the text, besides that of the document
}

// shortLink is the longest text that is a link in members of its name only.
const shortLink = 7

// links are the places of links in a document, by line.
type links struct {
	all   []Link
	spans map[int][]linkSpan
}

type linkSpan struct {
	span
	link int
}

// Link underlines values in the document that is shown, in place of those before.
func (d *Viewer) Link(all []Link) {
	d.links = links{all: all}
	if len(all) == 0 {
		return
	}
	d.links.spans = map[int][]linkSpan{}
	at := make(map[string]int, len(all))
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Text != "" {
			at[all[i].Text] = i
		}
	}
	for i := 0; i < len(d.Doc.Lines); {
		end := d.Doc.end(i)
		d.linkIn(i, end, at)
		i = end
	}
}

// end is the line behind a line and what continues it.
func (d *Doc) end(line int) int {
	for line++; line < len(d.Lines) && d.Lines[line].goes > 0; line++ {
	}
	return line
}

// linkIn finds the links in a line that may be broken into some: whole strings of
// JSON, and words of a text.
func (d *Viewer) linkIn(first, end int, at map[string]int) {
	lines := d.Doc.Lines[first:end]
	text, starts := joined(lines)
	var spots []linkSpan
	spot := func(from int, value string) {
		if i, ok := at[value]; ok && (len(value) > shortLink || d.Doc.named(first, d.links.all[i].Name)) {
			spots = append(spots, linkSpan{span{from: from, to: from + len(value)}, i})
		}
	}
	raw := []byte(text)
	for i := bytes.IndexByte(raw, '"'); i >= 0 && i < len(raw); {
		to := stringEnd(raw, i)
		if to > i+2 {
			spot(i+1, text[i+1:to-1])
		}
		next := bytes.IndexByte(raw[to:], '"')
		if next < 0 {
			break
		}
		i = to + next
	}
	for _, also := range []string{"", "./+=%~"} { // UUIDs and the like, then base64 and URLs
		for from := 0; from < len(text); {
			to := from
			for to < len(text) && (wordByte(text[to]) || strings.IndexByte(also, text[to]) >= 0) {
				to++
			}
			if word := strings.TrimRight(text[from:to], "./%"); word != "" {
				spot(from, word)
			}
			from = to + 1
		}
	}
	slices.SortFunc(spots, func(a, b linkSpan) int { return cmp.Or(a.from-b.from, b.to-a.to) })
	last := 0
	for _, x := range spots {
		if x.from < last {
			continue
		}
		last = x.to
		k, on := slices.BinarySearch(starts, x.from)
		if !on {
			k--
		}
		for i, s := range spread(lines[k:], starts[k:], len(text), x.from, x.to) {
			at := first + k + i
			d.links.spans[at] = append(d.links.spans[at], linkSpan{s, x.link})
		}
	}
}

func wordByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

func (d *Doc) named(line int, name string) bool {
	i := d.Lines[line].node - 1
	if i < 0 || name == "" {
		return false
	}
	n := &d.Nodes[i]
	return string(d.Sources[n.Src].Data[n.key:n.keyEnd]) == `"`+name+`"`
}

// Target is where the line under the cursor leads to: a frame, 0 for none, or a
// link, -1 for none.
func (d *Viewer) Target() (frame uint64, link int) {
	if !d.cursored() || d.Cur >= len(d.Doc.Lines) {
		return 0, -1
	}
	end := d.Doc.end(d.Cur)
	for i := d.Cur; i < end; i++ {
		if s := d.links.spans[i]; len(s) > 0 {
			return d.Doc.Lines[i].to, s[0].link
		}
	}
	return d.Doc.Lines[d.Cur].to, -1
}

// GoToLink puts the cursor on the first place of a link, and says whether there is
// one.
func (d *Viewer) GoToLink(text string) bool {
	for i := range d.Doc.Lines {
		for _, s := range d.links.spans[i] {
			if d.links.all[s.link].Text == text {
				d.GoTo(i)
				return true
			}
		}
	}
	return false
}

// AddTo adds a line from which one goes to a frame.
func (d *Doc) AddTo(frame uint64, segs ...term.Seg) {
	n := len(d.Lines)
	d.Add(segs...)
	for i := n; i < len(d.Lines); i++ {
		d.Lines[i].to = frame
	}
	d.leads = true
}

// linksOn are the links of a line, from left to right.
func (d *Viewer) linksOn(line int) (out []styled) {
	for _, s := range d.links.spans[line] {
		out = append(out, styled{s.span, d.links.all[s.link].Style})
	}
	return out
}
