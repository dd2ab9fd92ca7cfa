package ui

import (
	"midwire/session/safe"
	"midwire/ui/term"
	"strings"
)

// part is a piece of a tab: a heading and bytes.
type part struct {
	head   bool // an HTTP head: one line per field, never JSON
	pretty bool // indent JSON
	title  safe.Text
	data   []byte
	absent safe.Text // said instead when there are no bytes
}

// buildDoc lays out the parts of a tab. It is pure, so that a command can run
// it for what is large.
func buildDoc(th *term.Theme, ps []part, w int) doc {
	d := doc{w: w}
	for i, p := range ps {
		if i > 0 {
			d.blank()
		}
		if p.absent != "" {
			d.text(th.Dim, p.absent)
		}
		if p.title != "" {
			d.text(th.Dim, p.title)
		}
		switch {
		case p.head:
			d.head(th, p.data, w)
		case p.pretty:
			d.body(th, p.data, w)
		default:
			d.wrapped(th, p.data, w, false)
		}
	}
	return d
}

// head adds an HTTP head as it was, the names of its fields dimmed.
func (d *doc) head(th *term.Theme, raw []byte, w int) {
	first := true
	for s := range strings.Lines(string(raw[:min(len(raw), maxShown)])) {
		s = strings.TrimRight(s, "\r\n")
		name, value, ok := strings.Cut(s, ":")
		switch {
		case s == "":
		case first:
			d.text(term.Bold, safe.Line(s))
		case !ok || len(s) > w:
			d.wrapLine(safe.Marked(s), w, false)
		default:
			d.add(term.S(th.JsonKey, safe.Line(name)), term.S(th.Dim, ":"), term.S(term.Plain, safe.Line(value)))
		}
		first = false
	}
}

// partsSize is how many bytes a document has to lay out.
func partsSize(ps []part) (n int) {
	for _, p := range ps {
		n += len(p.data)
	}
	return n
}
