package replay

import (
	"strings"

	"midwire/session/jsonpath"
	"midwire/session/wire"
)

// Line is one line of two responses beside each other.
type Line struct {
	Was, Now string // indented JSON, "" where that side has none
	Kind     LineKind
	Path     string // of the difference it is part of, "" for none
	Why      string // why that difference does not count
}

// LineKind says what a Line shows.
type LineKind uint8

// The kinds of Line.
const (
	LineSame LineKind = iota
	LineChanged
	LineAdded
	LineRemoved
	LineIgnored // different, and that does not count
)

const maxLines = 20_000

// Lines lays two responses to a call side by side.
func (m *Masks) Lines(o *Outcome, was, now *Response) []Line {
	w := walk{masks: m, rules: m.rulesFor(o.Method, o.Target), firm: &o.firm, looks: true}
	if was.missing() == "" && now.missing() == "" {
		w.responses(was, now)
		return w.lines
	}
	w.status(was, now)
	kind := LineChanged
	if was.missing() == now.missing() {
		kind = LineSame
	}
	w.compareTexts(Line{Kind: kind, Path: "result"}, was.text(), now.text())
	return w.lines
}

// missing says why a side has no response, "" when it has one.
func (r *Response) missing() string {
	if !r.There {
		return "there is none"
	}
	return r.None
}

// text shows a side beside one that has no response.
func (r *Response) text() string {
	switch {
	case r.missing() != "":
		return "(" + r.missing() + ")"
	case r.Error:
		return key("error") + pretty(r.Body, "")
	}
	return key("result") + pretty(r.Body, "")
}

func key(name string) string { return string(jsonpath.Quote(nil, name)) + ": " }

func pretty(raw []byte, indent string) string {
	if text, ok := wire.Indent(raw, indent); ok {
		return string(text)
	}
	return string(raw)
}

func commaOf(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

func (w *walk) add(l Line) {
	if w.looks && len(w.lines) < maxLines {
		w.lines = append(w.lines, l)
	}
}

// lay adds the lines of two values, either of which may be nil for none.
func (w *walk) lay(like Line, p place, x, y []byte) {
	if !w.looks {
		return
	}
	var text [2]string
	for i, v := range [...][]byte{x, y} {
		if v != nil {
			text[i] = p.indent + p.name + pretty(v, p.indent) + p.comma[i]
		}
	}
	w.compareTexts(like, text[0], text[1])
}

// compareTexts adds two texts, line by line.
func (w *walk) compareTexts(like Line, was, now string) {
	var x, y []string
	if was != "" {
		x = strings.Split(was, "\n")
	}
	if now != "" {
		y = strings.Split(now, "\n")
	}
	for i := range max(len(x), len(y)) {
		l := like
		if i < len(x) {
			l.Was = x[i]
		}
		if i < len(y) {
			l.Now = y[i]
		}
		w.add(l)
	}
}
