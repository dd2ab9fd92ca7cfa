package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

const (
	// maxDecoded is how long a value may be, in bytes, to be decoded: that takes
	// many times its length.
	maxDecoded = 4 << 20
	// maxParts is how many members or elements of one value are looked at. What
	// has more is compared as a whole.
	maxParts = 1 << 18
)

// walk goes through two JSON values side by side, as they were sent: members and
// named elements meet, others by their places. It collects the differences that
// count and, where someone looks, the lines of both.
type walk struct {
	masks *Masks
	rules []Rule // those of the call in hand
	firm  *firm  // of the call in hand, nil for nothing
	found []Change

	strict bool // nothing is volatile: requests are compared

	looks bool // lines are wanted
	lines []Line
}

// place is where two values stand: in the message, and in lines.
type place struct {
	at           jsonpath.Path
	indent, name string
	comma        [2]string // what follows on either side
}

func (w *walk) responses(was, now *Response) {
	w.status(was, now)
	x, y := was.parts(), now.parts()
	for i, name := range partNames {
		w.pair(place{at: jsonpath.Path{{Name: name}}, name: key(name)}, x[i], y[i])
	}
}

func (w *walk) status(was, now *Response) {
	if was.Status != 0 && now.Status != 0 && was.Status != now.Status {
		number := func(n int) []byte { return strconv.AppendInt(nil, int64(n), 10) }
		w.leaf(place{at: jsonpath.Path{{Name: "status"}}, name: "HTTP "}, number(was.Status), number(now.Status))
	}
}

// pair compares two values, either of which may be nil for none.
func (w *walk) pair(p place, x, y []byte) {
	deep := len(p.at) >= jsonpath.MaxDepth || len(x) == 0 || len(y) == 0
	switch {
	case !w.looks && (len(w.found) >= MaxChanges || bytes.Equal(x, y) && (x == nil) == (y == nil)):
	case x == nil && y == nil:
	case x == nil:
		w.addOneSided(p, "added", LineAdded, nil, y)
	case y == nil:
		w.addOneSided(p, "removed", LineRemoved, x, nil)
	case bytes.Equal(x, y):
		w.lay(Line{}, p, x, y)
	case deep:
		w.leaf(p, x, y)
	case x[0] == '{' && y[0] == '{' && w.object(p, x, y):
	case x[0] == '[' && y[0] == '[' && w.array(p, x, y):
	case x[0] == '"' && y[0] == '"' && len(x)+len(y) <= maxDecoded && w.embedded(p, x, y):
	default:
		w.leaf(p, x, y)
	}
}

// addOneSided takes a value that only one side has.
func (w *walk) addOneSided(p place, kind string, how LineKind, x, y []byte) {
	l := Line{Kind: how, Path: p.at.String()}
	switch {
	case covered(w.rules, p.at):
		l.Kind, l.Why = LineIgnored, "a rule says so"
	case w.strict && len(p.at) <= 2 && (isEmpty(x) || isEmpty(y)): // params and arguments may be left out
	case comesAndGoes(p.at):
		l.Kind, l.Why = LineIgnored, "comes and goes"
	default:
		w.change(p.at, kind, x, y)
	}
	w.lay(l, p, x, y)
}

// leaf takes values that hold no others, or nothing alike.
func (w *walk) leaf(p place, x, y []byte) {
	var l Line
	var v, n any // of what is too long to be decoded only its place is looked at
	if len(x)+len(y) <= maxDecoded {
		v, n = decode(x), decode(y)
	}
	if v == nil && n == nil || show(v) != show(n) {
		l = Line{Kind: LineChanged, Path: p.at.String()}
		switch {
		case w.strict && meansSame(v, n):
		case w.strict:
			w.change(p.at, "changed", x, y)
		default:
			if l.Why = w.masks.ignored(w.rules, w.firm, p.at, v, n); l.Why == "" {
				w.change(p.at, "changed", x, y)
				break
			}
			l.Kind = LineIgnored
		}
	}
	w.lay(l, p, x, y)
}

func (w *walk) change(at jsonpath.Path, kind string, x, y []byte) {
	const most = 160
	if len(w.found) < MaxChanges {
		before, after := brief(x), brief(y)
		w.found = append(w.found, Change{
			Path: at.String(), Kind: kind,
			Was: words.Ellipsis(before, most), Now: words.Ellipsis(after, most),
		})
	}
}

// brief shows a value in one line, "" for none.
func brief(raw []byte) string {
	switch {
	case raw == nil:
		return ""
	case len(raw) > maxDecoded:
		return digest(raw)
	}
	return show(decode(raw))
}

// digest stands for bytes that are too many.
func digest(raw []byte) string {
	return fmt.Sprintf("%d bytes with the hash %016x", len(raw), wire.Hash(raw))
}

func show(v any) string { return string(Encode(v)) }

// comesAndGoes reports whether a member may be there or not in two runs of one
// server.
func comesAndGoes(at jsonpath.Path) bool {
	switch at.Last() {
	case mcp.MetaTraceParent, mcp.MetaTraceState, mcp.MetaBaggage:
		return true
	}
	return false
}

// embedded compares JSON that is written as text, as many tools do.
func (w *walk) embedded(p place, x, y []byte) bool {
	was, now := wire.Text(x), wire.Text(y)
	if was == "" || now == "" || was[0] != now[0] || was[0] != '{' && was[0] != '[' ||
		!json.Valid([]byte(was)) || !json.Valid([]byte(now)) {
		return false
	}
	const text = "JSON as text"
	w.add(Line{Was: p.indent + p.name + text, Now: p.indent + p.name + text})
	w.pair(place{p.at, p.indent + "  ", "", p.comma}, []byte(was), []byte(now))
	return true
}

// part is a member or an element.
type part struct {
	name  string // what it meets the other side's by, "" for its place
	key   jsonpath.Seg
	value []byte
}

// object compares members; false when there are too many.
func (w *walk) object(p place, x, y []byte) bool { return w.parts(p, "{}", members(x), members(y)) }

func members(raw []byte) (all []part) {
	places := map[string]int{}
	wire.Each(raw, func(k, v []byte) bool {
		name := string(k)
		if i, twice := places[name]; twice { // the last one counts
			all[i].value = v
			return true
		}
		places[name] = len(all)
		all = append(all, part{name, jsonpath.Seg{Name: name}, v})
		return len(all) <= maxParts
	})
	return all
}

// array compares elements by their names where all have one of their own, else by their
// places; false when there are too many.
func (w *walk) array(p place, x, y []byte) bool {
	was, named := elements(x)
	now, too := elements(y)
	if !named || !too {
		for _, side := range [...][]part{was, now} {
			for i := range side {
				side[i].name = strconv.Itoa(i)
			}
		}
	}
	return w.parts(p, "[]", was, now)
}

func elements(raw []byte) (all []part, named bool) {
	named = true
	names := map[string]bool{}
	wire.Items(raw, func(i int, v []byte) bool {
		name := ""
		if named {
			name = nameOf(v)
			named = name != "" && !names[name]
			names[name] = true
		}
		all = append(all, part{name, jsonpath.Seg{Index: i, Kind: jsonpath.Element}, v})
		return len(all) <= maxParts
	})
	return all, named
}

func nameOf(v []byte) string {
	for _, k := range [...]string{"name", "uri", "uriTemplate"} {
		if s := wire.Get(v, k); len(s) > 0 && s[0] == '"' {
			return k + "=" + wire.Text(s)
		}
	}
	return ""
}

// parts compares what two values hold, those of the first side first.
func (w *walk) parts(p place, marks string, was, now []part) bool {
	if len(was) > maxParts || len(now) > maxParts {
		return false
	}
	there := make(map[string]int, len(now))
	for j := range now {
		there[now[j].name] = j
	}
	w.add(Line{Was: p.indent + p.name + marks[:1], Now: p.indent + p.name + marks[:1]})
	inside := place{indent: p.indent + "  "}
	both := func(i, j int, of *part, x, y []byte) {
		inside.at, inside.name = append(slices.Clip(p.at), of.key), ""
		if of.key.Kind != jsonpath.Element {
			inside.name = key(of.key.Name)
		}
		inside.comma = [2]string{commaOf(i, len(was)), commaOf(j, len(now))}
		w.pair(inside, x, y)
	}
	for i := range was {
		if j, ok := there[was[i].name]; ok {
			both(i, j, &was[i], was[i].value, now[j].value)
			delete(there, was[i].name)
		} else {
			both(i, len(now), &was[i], was[i].value, nil)
		}
	}
	for j := range now {
		if _, alone := there[now[j].name]; alone {
			both(len(was), j, &now[j], nil, now[j].value)
		}
	}
	end := p.indent + marks[1:]
	w.add(Line{Was: end + p.comma[0], Now: end + p.comma[1]})
	return true
}
