package jsonpath

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// maxPath bounds the text of a path.
const maxPath = 4 << 10

// Parse reads a path or a pattern.
func Parse(text string) (Path, error) {
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
			return Seg{Kind: AnyElement}, after, nil
		}
		n, err := strconv.Atoi(in)
		if !ok || err != nil || n < 0 || strconv.Itoa(n) != in {
			return Seg{}, "", badPath(text, rest)
		}
		return Seg{Index: n, Kind: Element}, after, nil
	case strings.HasPrefix(rest, "**"):
		return Seg{Kind: Deep}, rest[2:], nil
	case strings.HasPrefix(rest, "*"):
		return Seg{Kind: AnyMember}, rest[1:], nil
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

// Matches reports whether the path, taken as a pattern, covers a place: that one,
// or anything inside it.
func (p Path) Matches(place Path) bool {
	// The states are the numbers of segments of p that are used up.
	now := make([]bool, len(p)+1)
	now[0] = true
	for at := 0; ; at++ {
		for i := range p { // ** may stand for nothing
			if now[i] && p[i].Kind == Deep {
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
			case p[i].Kind == Deep:
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
	case AnyMember:
		return o.Kind == Member
	case AnyElement:
		return o.Kind == Element
	}
	return s == o
}
