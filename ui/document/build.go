package document

import (
	"bytes"
	"strconv"
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// Part is a piece of a tab: a heading and bytes.
type Part struct {
	Head   bool // an HTTP head: one line per field, never JSON
	Pretty bool // indent JSON

	Numbered bool // with the numbers of its lines
	Title    safe.Text
	Data     []byte
	Absent   safe.Text // said instead when there are no bytes

	Shown   [][]string // values of the JSON that are shown above: folded, which is said
	Failing []string   // a value of the JSON that says that something failed
	Lines   []Line     // what stands before all of it
}

// Append adds parts to a document, whose lines must not be in use elsewhere.
func (d *Doc) Append(th *term.Theme, ps []Part, w int) {
	for _, p := range ps {
		if len(d.Lines) > 0 {
			d.Blank()
		}
		d.Lines = append(d.Lines, p.Lines...)
		if p.Absent != "" {
			d.Text(th.Dim, p.Absent)
		}
		if p.Title != "" {
			d.Text(th.Dim, p.Title)
		}
		switch {
		case p.Data == nil:
		case p.Head:
			d.head(th, p.Data, w)
		case p.Pretty:
			first := int32(len(d.Nodes))
			if p.Numbered {
				d.gutter = max(d.gutter, gutterOf(p.Data))
			}
			d.Body(th, p.Data, w-d.gutter)
			for _, path := range p.Shown {
				if i := d.find(first, path); i >= 0 {
					d.Nodes[i].shut, d.Nodes[i].above = true, true
				}
			}
			if i := d.find(first, p.Failing); i >= 0 {
				for k := d.Nodes[i].first; k <= d.Nodes[i].last; k++ {
					d.Lines[k].Ground = th.Removed
				}
			}
		default:
			d.Wrapped(th, p.Data, w)
		}
	}
}

// find is the value at the end of a path of names that begins in a node, -1 for
// none.
func (d *Doc) find(root int32, path []string) int32 {
	at := root
	for i := root + 1; i < int32(len(d.Nodes)) && len(path) > 0; i++ {
		n := &d.Nodes[i]
		if n.Parent < at {
			return -1
		}
		if n.Parent == at && string(d.Sources[n.Src].Data[n.key:n.keyEnd]) == `"`+path[0]+`"` {
			at, path = i, path[1:]
		}
	}
	if at == root || len(path) > 0 {
		return -1
	}
	return at
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
			d.AddWire(2, []term.Seg{term.S(term.Bold, safe.Line(s))})
		case !ok || len(s) > w:
			d.WrapLine(safe.Marked(s), w, false)
		default:
			field := []term.Seg{term.S(th.JSONKey, safe.Line(name)), term.S(th.Dim, ":")}
			d.AddWire(2, append(field, term.S(term.Plain, safe.Line(value))))
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

// gutterOf is how many cells the numbers of the lines of a payload need, with the
// sign of what can be folded.
func gutterOf(data []byte) int {
	lines := 2 + bytes.Count(data, []byte{','}) + 2*bytes.Count(data, []byte{'{'}) + 2*bytes.Count(data, []byte{'['})
	return max(len(strconv.Itoa(lines)), 2) + 4
}
