package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// Part is a piece of a tab: a heading and bytes.
type Part struct {
	Head   bool // an HTTP head: one line per field, never JSON
	Pretty bool // indent JSON
	Title  safe.Text
	Data   []byte
	Absent safe.Text // said instead when there are no bytes
}

// Build lays out the parts of a tab. It is pure, so that a command can run
// it for what is large.
func Build(th *term.Theme, ps []Part, w int) Doc {
	d := Doc{Width: w}
	for i, p := range ps {
		if i > 0 {
			d.Blank()
		}
		if p.Absent != "" {
			d.Text(th.Dim, p.Absent)
		}
		if p.Title != "" {
			d.Text(th.Dim, p.Title)
		}
		switch {
		case p.Head:
			d.head(th, p.Data, w)
		case p.Pretty:
			d.Body(th, p.Data, w)
		default:
			d.Wrapped(th, p.Data, w, false)
		}
	}
	return d
}

// head adds an HTTP head as it was, the names of its fields dimmed.
func (d *Doc) head(th *term.Theme, raw []byte, w int) {
	first := true
	for s := range strings.Lines(string(raw[:min(len(raw), maxShown)])) {
		s = strings.TrimRight(s, "\r\n")
		name, value, ok := strings.Cut(s, ":")
		switch {
		case s == "":
		case first:
			d.Text(term.Bold, safe.Line(s))
		case !ok || len(s) > w:
			d.WrapLine(safe.Marked(s), w, false)
		default:
			d.Add(term.S(th.JSONKey, safe.Line(name)), term.S(th.Dim, ":"), term.S(term.Plain, safe.Line(value)))
		}
		first = false
	}
}

// PartsSize is how many bytes a document has to lay out.
func PartsSize(ps []Part) (n int) {
	for _, p := range ps {
		n += len(p.Data)
	}
	return n
}
