package replay

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"midwire/session/handle"
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

// maxLines bounds what is laid out of two responses.
const maxLines = 20_000

// Lines lays two responses to a call side by side.
func (m *Masks) Lines(method, target string, was, now *Response) []Line {
	b := beside{masks: m, rules: m.of(method, target)}
	if was.Status != now.Status && was.Status != 0 && now.Status != 0 {
		before, after := strconv.AppendInt(nil, int64(was.Status), 10), strconv.AppendInt(nil, int64(now.Status), 10)
		b.leaf(jsonpath.Path{{Name: "status"}}, "HTTP ", "", [2]string{}, before, after)
	}
	if was.none() != "" || now.none() != "" {
		b.without(was, now)
		return b.lines
	}
	x, y := was.parts(), now.parts()
	for i, name := range partNames {
		b.both(jsonpath.Path{{Name: name}}, "", key(name), [2]string{}, x[i], y[i])
	}
	return b.lines
}

// none says why a side has no response, "" when it has one.
func (r *Response) none() string {
	if !r.There {
		return "there is none"
	}
	return r.None
}

// without shows a side that has no response.
func (b *beside) without(was, now *Response) {
	text := func(r *Response) string {
		switch {
		case r.none() != "":
			return "(" + r.none() + ")"
		case r.Error:
			return key("error") + pretty(r.Body, "")
		}
		return key("result") + pretty(r.Body, "")
	}
	kind := LineChanged
	if was.none() == now.none() {
		kind = LineSame
	}
	b.pair(Line{Kind: kind, Path: "result"}, text(was), text(now))
}

// beside lays out lines. comma holds what ends a line on either side.
type beside struct {
	masks *Masks
	rules []Rule
	lines []Line
}

func key(name string) string { return string(jsonpath.Quote(nil, name)) + ": " }

func pretty(raw []byte, indent string) string {
	if text, ok := wire.Indent(raw, indent); ok {
		return string(text)
	}
	return string(raw)
}

func (b *beside) add(l Line) {
	if len(b.lines) < maxLines {
		b.lines = append(b.lines, l)
	}
}

// pair adds two texts, line by line.
func (b *beside) pair(like Line, was, now string) {
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
		b.add(l)
	}
}

// both lays out a value that either side may lack.
func (b *beside) both(at jsonpath.Path, indent, name string, comma [2]string, x, y []byte) {
	switch {
	case x == nil && y == nil:
	case x == nil:
		b.pair(b.one(at, LineAdded), "", indent+name+pretty(y, indent)+comma[1])
	case y == nil:
		b.pair(b.one(at, LineRemoved), indent+name+pretty(x, indent)+comma[0], "")
	default:
		b.value(at, indent, name, comma, x, y)
	}
}

// one describes a value that only one side has.
func (b *beside) one(at jsonpath.Path, kind LineKind) Line {
	l := Line{Kind: kind, Path: at.String()}
	if covered(b.rules, at) {
		l.Kind, l.Why = LineIgnored, "a rule says so"
	}
	if comesAndGoes(at) {
		l.Kind, l.Why = LineIgnored, "comes and goes"
	}
	return l
}

func (b *beside) value(at jsonpath.Path, indent, name string, comma [2]string, x, y []byte) {
	switch {
	case bytes.Equal(x, y):
		b.pair(Line{}, indent+name+pretty(x, indent)+comma[0], indent+name+pretty(y, indent)+comma[1])
		return
	case len(at) >= jsonpath.MaxDepth || len(x) == 0 || len(y) == 0:
	case x[0] == '{' && y[0] == '{':
		b.group(indent, name, "{}", comma, func() { b.object(at, indent+"  ", x, y) })
		return
	case x[0] == '[' && y[0] == '[':
		b.group(indent, name, "[]", comma, func() { b.array(at, indent+"  ", x, y) })
		return
	case x[0] == '"' && y[0] == '"' && !bytes.Equal(x, y):
		if was, now := wire.Text(x), wire.Text(y); isEmbedded(was, now) {
			b.add(Line{Was: indent + name + "JSON as text", Now: indent + name + "JSON as text"})
			b.value(at, indent+"  ", "", comma, []byte(was), []byte(now))
			return
		}
	}
	b.leaf(at, indent, name, comma, x, y)
}

// group adds what holds other values. An empty one takes two lines as well.
func (b *beside) group(indent, name, marks string, comma [2]string, inside func()) {
	open := indent + name + marks[:1]
	b.add(Line{Was: open, Now: open})
	inside()
	b.add(Line{Was: indent + marks[1:] + comma[0], Now: indent + marks[1:] + comma[1]})
}

// leaf adds values that hold no others, or nothing alike.
func (b *beside) leaf(at jsonpath.Path, indent, name string, comma [2]string, x, y []byte) {
	var l Line
	if v, w := decode(x), decode(y); show(v) != show(w) {
		l = Line{Kind: LineChanged, Path: at.String()}
		if b.masks.ignores(b.rules, at, v, w) {
			l.Kind, l.Why = LineIgnored, b.masks.reason(b.rules, at, v)
		}
	}
	b.pair(l, indent+name+pretty(x, indent)+comma[0], indent+name+pretty(y, indent)+comma[1])
}

// reason says why a difference does not count.
func (m *Masks) reason(rules []Rule, at jsonpath.Path, was any) string {
	if covered(rules, at) {
		return "a rule says so"
	}
	name := at.Last()
	switch {
	case name == "version":
		return "the server's version"
	case name == "nextCursor" || name == "requestState":
		return "a cursor"
	case timeName(name):
		return "a time"
	case handle.Named(name):
		return "an id"
	}
	if text, ok := was.(string); ok && m.Handles[text] != "" {
		return "another handle was issued"
	}
	return "times or ids in it"
}

type member struct {
	name  string
	value []byte
}

func members(raw []byte) (all []member, places map[string]int) {
	places = map[string]int{}
	wire.Each(raw, func(k, v []byte) bool {
		name := string(k)
		places[name] = len(all)
		all = append(all, member{name, v})
		return true
	})
	return all, places
}

func (b *beside) object(at jsonpath.Path, indent string, x, y []byte) {
	was, _ := members(x)
	now, there := members(y)
	commas := func(i, j int) [2]string { return [2]string{commaOf(i, len(was)), commaOf(j, len(now))} }
	done := map[string]bool{}
	for i, v := range was {
		var other []byte
		j, ok := there[v.name]
		if ok {
			other = now[j].value
		}
		done[v.name] = true
		b.both(extend(at, jsonpath.Seg{Name: v.name}), indent, key(v.name), commas(i, j), v.value, other)
	}
	for j, v := range now {
		if !done[v.name] {
			b.both(extend(at, jsonpath.Seg{Name: v.name}), indent, key(v.name), commas(len(was), j), nil, v.value)
		}
	}
}

func (b *beside) array(at jsonpath.Path, indent string, x, y []byte) {
	was, now := partsOf(x), partsOf(y)
	commas := func(i, j int) [2]string { return [2]string{commaOf(i, len(was)), commaOf(j, len(now))} }
	place := func(i int) jsonpath.Path { return extend(at, jsonpath.Seg{Kind: jsonpath.Element, Index: i}) }
	match := func(i int) int { return i }
	if p, q := named(decoded(was)), named(decoded(now)); p != nil && q != nil {
		match = func(i int) int {
			if j, ok := q[nameOf(decode(was[i]))]; ok {
				return j
			}
			return len(now)
		}
	}
	done := make([]bool, len(now)+1)
	for i, v := range was {
		var other []byte
		j := match(i)
		if j < len(now) {
			other, done[j] = now[j], true
		}
		b.both(place(i), indent, "", commas(i, j), v, other)
	}
	for j, v := range now {
		if !done[j] {
			b.both(place(j), indent, "", commas(len(was), j), nil, v)
		}
	}
}

func decoded(all [][]byte) []any {
	out := make([]any, len(all))
	for i := range all {
		out[i] = decode(all[i])
	}
	return out
}

func extend(at jsonpath.Path, s jsonpath.Seg) jsonpath.Path { return append(at[:len(at):len(at)], s) }

func commaOf(i, n int) string {
	if i < n-1 {
		return ","
	}
	return ""
}

// isEmbedded says whether two texts are JSON of one kind.
func isEmbedded(a, b string) bool {
	return a != "" && b != "" && a[0] == b[0] && (a[0] == '{' || a[0] == '[') &&
		json.Valid([]byte(a)) && json.Valid([]byte(b))
}
