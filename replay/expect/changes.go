package expect

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"midwire/session/wire"
	"midwire/session/words"
)

// Bounds of what is said about one definition.
const (
	mostChanges = 8
	mostDepth   = 64
	mostWords   = 600 // of a text, on both sides of a word diff; longer ones are compared as they begin and end
	mostText    = 400 // columns of a text
)

func clip(text string) string { return words.Line(text, mostText) }

// Definition says in words how a definition changed, member by member; nothing where only
// order and space did.
func Definition(was, now []byte) []string {
	var d changes
	d.value("", decoded(was), decoded(now), 0)
	if d.left > 0 {
		d.said = append(d.said, strconv.Itoa(d.left)+" more")
	}
	return d.said
}

func decoded(raw []byte) any {
	v, err := wire.Value(raw)
	if err != nil {
		return string(raw)
	}
	return v
}

type changes struct {
	said []string
	left int
}

func (d *changes) say(at, what string) {
	if len(d.said) == mostChanges {
		d.left++
		return
	}
	d.said = append(d.said, strings.TrimPrefix(at, ".")+what)
}

func (d *changes) value(at string, was, now any, depth int) {
	if depth > mostDepth {
		if !reflect.DeepEqual(was, now) {
			d.say(at, " changed")
		}
		return
	}
	switch w := was.(type) {
	case map[string]any:
		if n, ok := now.(map[string]any); ok {
			d.object(at, w, n, depth)
			return
		}
	case []any:
		if n, ok := now.([]any); ok {
			d.array(at, w, n, depth)
			return
		}
	case string:
		if n, ok := now.(string); ok {
			if w != n {
				d.say(at, ": "+Words(w, n))
			}
			return
		}
	}
	if !reflect.DeepEqual(was, now) {
		d.say(at, ": "+short(was)+" → "+short(now))
	}
}

func (d *changes) object(at string, was, now map[string]any, depth int) {
	names := slices.Collect(maps.Keys(was))
	for name := range now {
		if _, both := was[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		w, old := was[name]
		n, fresh := now[name]
		switch path := at + "." + words.Clip(name, 60); {
		case !fresh:
			d.say(path, " removed")
		case !old:
			d.say(path, " added: "+short(n))
		default:
			d.value(path, w, n, depth+1)
		}
	}
}

// array compares lists whose order means nothing, as required and enum, as sets.
func (d *changes) array(at string, was, now []any, depth int) {
	deep := func(v any) bool { _, is := v.(map[string]any); return is }
	if !slices.ContainsFunc(was, deep) && !slices.ContainsFunc(now, deep) {
		has := func(all []any, v any) bool {
			return slices.ContainsFunc(all, func(o any) bool { return reflect.DeepEqual(o, v) })
		}
		if len(was)+len(now) > mostWords {
			if !reflect.DeepEqual(was, now) {
				d.say(at, " changed")
			}
			return
		}
		for _, v := range was {
			if !has(now, v) {
				d.say(at, " without "+short(v))
			}
		}
		for _, v := range now {
			if !has(was, v) {
				d.say(at, " with "+short(v))
			}
		}
		return
	}
	if len(was) != len(now) {
		d.say(at, ": "+words.Count(len(was), "entry")+" → "+strconv.Itoa(len(now)))
		return
	}
	for i := range was {
		d.value(at+"["+strconv.Itoa(i)+"]", was[i], now[i], depth+1)
	}
}

func short(v any) string {
	text, _ := json.Marshal(v) // decoded from JSON
	return words.Line(string(text), 80)
}

// Words is the difference of two texts, word by word: [-what was-]{+what is+}.
func Words(was, now string) string {
	a, b := split(was), split(now)
	head := 0
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out strings.Builder
	context(&out, a[:head], true)
	middle(&out, a[head:len(a)-tail], b[head:len(b)-tail])
	context(&out, a[len(a)-tail:], false)
	return `"` + strings.TrimSpace(out.String()) + `"`
}

// context writes what is the same at the beginning or the end: what is near the change.
func context(out *strings.Builder, same []string, before bool) {
	const near = 24
	switch {
	case len(same) <= near:
		out.WriteString(strings.Join(same, ""))
	case before:
		out.WriteString("…" + strings.Join(same[len(same)-near:], ""))
	default:
		out.WriteString(strings.Join(same[:near], "") + "…")
	}
}

// middle writes what differs; short texts word by word, by the longest common subsequence.
func middle(out *strings.Builder, a, b []string) {
	mark := func(open, shut string, text []string) {
		if all := strings.Join(text, ""); len(all) > mostText {
			out.WriteString(open + clip(all) + shut)
		} else if all != "" {
			out.WriteString(open + all + shut)
		}
	}
	if len(a)+len(b) > mostWords || len(a) == 0 || len(b) == 0 {
		mark("[-", "-]", a)
		mark("{+", "+}", b)
		return
	}
	onlyWas, onlyNow := words.Unmatched(a, b)
	var gone, fresh []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		from := i
		for i < len(a) && j < len(b) && !onlyWas[i] && !onlyNow[j] {
			i, j = i+1, j+1
		}
		same := a[from:i]
		if len(gone)+len(fresh) > 0 && i < len(a) && j < len(b) && !slices.ContainsFunc(same, isWord) {
			gone, fresh = append(gone, same...), append(fresh, same...) // a space between changes is of them
		} else {
			mark("[-", "-]", gone)
			mark("{+", "+}", fresh)
			gone, fresh = nil, nil
			out.WriteString(strings.Join(same, ""))
		}
		for ; i < len(a) && onlyWas[i]; i++ {
			gone = append(gone, a[i])
		}
		for ; j < len(b) && onlyNow[j]; j++ {
			fresh = append(fresh, b[j])
		}
	}
	mark("[-", "-]", gone)
	mark("{+", "+}", fresh)
}

func isWord(token string) bool {
	return strings.ContainsFunc(token, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// split splits a text into words, and what is between them.
func split(text string) (all []string) {
	from := 0
	letter := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	in := false
	for i, r := range text {
		if is := letter(r); i > from && (is != in || !is) {
			all, from = append(all, text[from:i]), i
		}
		in = letter(r)
	}
	if from < len(text) {
		all = append(all, text[from:])
	}
	return all
}
