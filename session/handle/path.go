package handle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"midwire/session/wire"
)

// Path is a place in a JSON value, or a pattern of places. It is written
// result.content[0].text; a member whose name is no plain word is quoted as
// JSON is: _meta."openai/session". In a pattern * is any member, [*] any
// element and ** any number of either.
type Path []Seg

// Seg is one step of a Path.
type Seg struct {
	Name  string
	Index int
	Kind  SegKind
}

// SegKind says what a Seg leads to.
type SegKind uint8

// The kinds of Seg.
const (
	SegMember SegKind = iota
	SegElement
	SegAnyMember
	SegAnyElement
	SegDeep
)

// String writes the path as ParsePath reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch s.Kind {
		case SegElement, SegAnyElement:
			b.WriteByte('[')
			if s.Kind == SegAnyElement {
				b.WriteByte('*')
			} else {
				b.WriteString(strconv.Itoa(s.Index))
			}
			b.WriteByte(']')
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		switch {
		case s.Kind == SegAnyMember:
			b.WriteByte('*')
		case s.Kind == SegDeep:
			b.WriteString("**")
		case isWord(s.Name):
			b.WriteString(s.Name)
		default:
			b.Write(Quote(nil, s.Name))
		}
	}
	return b.String()
}

func isWord(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return s != ""
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c == '$' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// maxPath bounds the text of a path.
const maxPath = 4 << 10

// ParsePath reads a path or a pattern.
func ParsePath(text string) (Path, error) {
	if len(text) > maxPath {
		return nil, fmt.Errorf("path of %d bytes: the longest that is read has %d", len(text), maxPath)
	}
	var p Path
	rest := text
	for first := true; rest != ""; first = false {
		var s Seg
		var err error
		if rest[0] != '[' && !first {
			if rest[0] != '.' {
				return nil, badPath(text, rest)
			}
			rest = rest[1:]
		}
		if s, rest, err = parseSeg(text, rest); err != nil {
			return nil, err
		}
		p = append(p, s)
	}
	if len(p) == 0 {
		return nil, badPath(text, text)
	}
	// Quoted, a name may be longer than it was: what is read can be read again.
	if n := len(p.String()); n > maxPath {
		return nil, fmt.Errorf("path of %d bytes, written out: the longest that is read has %d", n, maxPath)
	}
	return p, nil
}

func badPath(text, at string) error {
	return fmt.Errorf("path %q cannot be read at %q: write it like result.content[0].text, odd names in double quotes", text, at)
}

func parseSeg(text, rest string) (Seg, string, error) {
	switch {
	case strings.HasPrefix(rest, "["):
		in, after, ok := strings.Cut(rest[1:], "]")
		if in == "*" {
			return Seg{Kind: SegAnyElement}, after, nil
		}
		n, err := strconv.Atoi(in)
		if !ok || err != nil || n < 0 || strconv.Itoa(n) != in {
			return Seg{}, "", badPath(text, rest)
		}
		return Seg{Index: n, Kind: SegElement}, after, nil
	case strings.HasPrefix(rest, "**"):
		return Seg{Kind: SegDeep}, rest[2:], nil
	case strings.HasPrefix(rest, "*"):
		return Seg{Kind: SegAnyMember}, rest[1:], nil
	case strings.HasPrefix(rest, `"`):
		d := json.NewDecoder(strings.NewReader(rest))
		var name string
		if err := d.Decode(&name); err != nil {
			return Seg{}, "", badPath(text, rest)
		}
		return Seg{Name: name}, rest[d.InputOffset():], nil
	}
	n := 0
	for n < len(rest) && isWordByte(rest[n]) {
		n++
	}
	if n == 0 {
		return Seg{}, "", badPath(text, rest)
	}
	return Seg{Name: rest[:n]}, rest[n:], nil
}

// Matches says whether the path, taken as a pattern, covers a place: that one,
// or anything inside it.
func (p Path) Matches(place Path) bool {
	// The states are the numbers of segments of p that are used up.
	now := make([]bool, len(p)+1)
	now[0] = true
	for at := 0; ; at++ {
		for i := range p { // ** may stand for nothing
			if now[i] && p[i].Kind == SegDeep {
				now[i+1] = true
			}
		}
		if now[len(p)] {
			return true
		}
		if at == len(place) {
			return false
		}
		next := make([]bool, len(p)+1)
		for i := range p {
			switch {
			case !now[i]:
			case p[i].Kind == SegDeep:
				next[i] = true
			case p[i].covers(place[at]):
				next[i+1] = true
			}
		}
		now = next
	}
}

func (s Seg) covers(o Seg) bool {
	switch s.Kind {
	case SegAnyMember:
		return o.Kind == SegMember
	case SegAnyElement:
		return o.Kind == SegElement
	}
	return s == o
}

// Find returns where in a JSON value the value at the path begins and ends.
func (p Path) Find(raw []byte) (from, to int, ok bool) {
	value := raw
	for _, s := range p {
		var found []byte
		visit := func(v []byte) bool { found = v; return false }
		if s.Kind == SegElement {
			wire.Items(value, func(i int, v []byte) bool { return i != s.Index || visit(v) })
		} else {
			wire.Each(value, func(k, v []byte) bool { return KeyName(k) != s.Name || visit(v) })
		}
		if found == nil {
			return 0, 0, false
		}
		value = found
	}
	// Every value shares the memory of the one it lies in, up to its end.
	from = cap(raw) - cap(value)
	return from, from + len(value), true
}

// Get returns the raw value at the path, nil when there is none.
func (p Path) Get(raw []byte) []byte {
	if from, to, ok := p.Find(raw); ok {
		return raw[from:to]
	}
	return nil
}

// KeyName decodes a member name as wire.Each gives it.
func KeyName(key []byte) string {
	if slices.Contains(key, '\\') {
		return wire.Text(append(append([]byte{'"'}, key...), '"'))
	}
	return string(key)
}

// MaxDepth bounds how deep a value is looked into: only hostile ones go deeper.
const MaxDepth = 64

// Leaves calls yield with every string, number, truth and null in a JSON value,
// and with empty objects and arrays, until yield returns false. The path is
// valid during the call only.
func Leaves(raw []byte, at Path, yield func(p Path, value []byte) bool) bool {
	inside, goOn := false, true
	child := func(s Seg, v []byte) bool {
		inside = true
		goOn = Leaves(v, append(at, s), yield)
		return goOn
	}
	switch {
	case len(raw) == 0 || len(at) >= MaxDepth:
		return true
	case raw[0] == '{':
		wire.Each(raw, func(k, v []byte) bool { return child(Seg{Name: KeyName(k)}, v) })
	case raw[0] == '[':
		wire.Items(raw, func(i int, v []byte) bool { return child(Seg{Index: i, Kind: SegElement}, v) })
	}
	if !inside {
		return yield(at, raw)
	}
	return goOn
}

// Last is the name of the innermost member a path leads through.
func (p Path) Last() string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Kind == SegMember {
			return p[i].Name
		}
	}
	return ""
}

// Quote appends s as a JSON string. Bytes that are not UTF-8 stay as they are.
func Quote(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}
