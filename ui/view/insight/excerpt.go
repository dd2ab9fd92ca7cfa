package insight

import (
	"strings"

	"midwire/session/insight"
	"midwire/session/jsonpath"
	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/ui/document"
	"midwire/ui/library"
	"midwire/ui/term"
)

// excerpt draws the part of a message around a place: what leads to it is
// unfolded, all else stands in one line. The handle is underlined wherever it
// stands.
type excerpt struct {
	sc      *library.Scene
	h       *insight.Handle
	hue     term.Style // of who issued it
	missing bool       // it is not there, and should be
	lines   [][]term.Seg
	at      int // line of the place
}

// maxExcerpt bounds the text of one value.
const maxExcerpt = 600

// of returns at most n lines of a payload around a place in it.
func (x *excerpt) of(data []byte, place string, n int) [][]term.Seg {
	switch path, err := jsonpath.Parse(place); {
	case strings.HasPrefix(place, "header "):
		x.head(data, strings.TrimPrefix(place, "header "))
	case err != nil || len(path) == 0 || path.Get(data) == nil:
		x.text(data)
	default:
		depth := 1
		if path[0].Kind == jsonpath.Element { // of a batch
			depth = 2
		}
		depth = min(depth, len(path))
		x.inside(path[:depth].Get(data), path[depth:], 0)
	}
	if from := max(0, min(x.at-(n-1)/2, len(x.lines)-n)); from > 0 {
		return x.lines[from:min(from+n, len(x.lines))]
	}
	return x.lines[:min(n, len(x.lines))]
}

// inside writes the members of an object, or the elements of an array.
func (x *excerpt) inside(value []byte, path jsonpath.Path, depth int) {
	item := func(name string, on bool, v []byte, last bool) {
		segs := []term.Seg{term.S(term.Plain, safe.Repeat(" ", 2*depth))}
		if name != "" {
			segs = append(segs, term.S(x.sc.Theme.JSONKey, safe.Line(name)), term.S(term.Plain, ": "))
		}
		if on && len(path) > 1 && len(v) > 1 && (v[0] == '{' || v[0] == '[') {
			x.lines = append(x.lines, append(segs, term.S(term.Plain, safe.Line(string(v[:1])))))
			x.inside(v, path[1:], depth+1)
			end := safe.Repeat(" ", 2*depth) + safe.Line(string(v[len(v)-1:]))
			x.lines = append(x.lines, []term.Seg{term.S(term.Plain, end)})
			return
		}
		if on {
			x.at = len(x.lines)
		}
		segs = append(segs, x.value(v)...)
		if !last {
			segs = append(segs, term.S(term.Plain, ","))
		}
		x.lines = append(x.lines, segs)
	}
	if len(path) == 0 || len(value) == 0 {
		x.lines = append(x.lines, x.value(value))
		return
	}
	n, i := 0, 0
	if path[0].Kind == jsonpath.Element {
		wire.Items(value, func(int, []byte) bool { n++; return true })
		wire.Items(value, func(k int, v []byte) bool {
			item("", k == path[0].Index, v, k == n-1)
			return len(x.lines) < 200
		})
		return
	}
	wire.Each(value, func(_, _ []byte) bool { n++; return true })
	wire.Each(value, func(k, v []byte) bool {
		i++
		quoted := string(jsonpath.Quote(nil, string(k)))
		item(quoted, string(k) == path[0].Name, v, i == n)
		return len(x.lines) < 200
	})
}

func (x *excerpt) value(raw []byte) (out []term.Seg) {
	for token, st := range document.JSONTokens(x.sc.Theme, raw[:min(len(raw), maxExcerpt)]) {
		out = append(out, x.marked(st, token)...)
	}
	return out
}

// marked underlines the handle in a piece of text.
func (x *excerpt) marked(st term.Style, text string) []term.Seg {
	var out []term.Seg
	add := func(t string) {
		if t != "" {
			out = append(out, term.S(st, safe.Line(t)))
		}
	}
	for x.h.Value != "" {
		before, after, ok := strings.Cut(text, x.h.Value)
		if !ok {
			break
		}
		add(before)
		out = append(out, term.S(x.hue+term.Bold+term.Underline, handleValue(x.h, len(x.h.Value)*4, x.sc.Glyphs)))
		text = after
	}
	add(text)
	return out
}

// head writes the first line of an HTTP message, and the header that a handle
// stands in.
func (x *excerpt) head(data []byte, name string) {
	head, ok := wire.ParseHead(data)
	if !ok {
		x.text(data)
		return
	}
	first, _ := wire.CutLine(data)
	x.lines = append(x.lines, x.marked(x.sc.Theme.Dim, string(first)))
	found := false
	for _, f := range head.Fields {
		line := []term.Seg{term.S(x.sc.Theme.JSONKey, safe.Line(f.Name)), term.S(term.Plain, ": ")}
		if strings.EqualFold(f.Name, name) && !found {
			found, x.at = true, len(x.lines)
			x.lines = append(x.lines, append(line, x.marked(term.Plain, f.Value)...))
		} else if !strings.EqualFold(f.Name, "Authorization") && !strings.EqualFold(f.Name, "Cookie") {
			x.lines = append(x.lines, append(line, x.marked(x.sc.Theme.Dim, f.Value)...))
		}
	}
	if x.missing && !found {
		ground := x.sc.Theme.Removed
		line := []term.Seg{term.S(x.sc.Theme.JSONKey+ground, safe.Line(name)+": "), x.sc.Theme.Badge(x.sc.Theme.Err, "missing")}
		x.lines = append(x.lines[:1], append([][]term.Seg{line}, x.lines[1:]...)...)
		x.at = 1
	}
}

// text writes what is no JSON, or has no such place.
func (x *excerpt) text(data []byte) {
	for line := range strings.Lines(string(data[:min(len(data), 16<<10)])) {
		if strings.Contains(line, x.h.Value) {
			x.at = len(x.lines)
		}
		x.lines = append(x.lines, x.marked(term.Plain, strings.TrimRight(line, "\r\n")))
	}
}
