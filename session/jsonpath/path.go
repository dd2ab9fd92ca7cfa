// Package jsonpath is the one syntax in which midwire writes places in JSON
// values: result.content[0].text. It parses and prints them, matches patterns,
// and finds the bytes that a place means.
//
// It is what --ignore and --set of replay take, what the rules beside a
// recording hold, and what is copied from the screen. Two things are not of
// this syntax: --redact-path, which knows names only and looks through arrays,
// and the JSON pointers of schemas (RFC 6901).
//
// It is pure and knows nothing but session/wire.
package jsonpath

import (
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
	Kind  Kind
}

// Kind says what a Seg leads to.
type Kind uint8

// The kinds of Seg.
const (
	Member Kind = iota
	Element
	AnyMember
	AnyElement
	Deep
)

// String writes the path as Parse reads it.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch s.Kind {
		case Element, AnyElement:
			b.WriteByte('[')
			if s.Kind == AnyElement {
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
		case s.Kind == AnyMember:
			b.WriteByte('*')
		case s.Kind == Deep:
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

// Last is the name of the innermost member a path leads through.
func (p Path) Last() string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Kind == Member {
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

// Name is how a path writes the name of a member, given as the JSON string it
// has in a value: a word as it is, anything else quoted as it stands there.
func Name(quoted []byte) string {
	if name := wire.Text(quoted); isWord(name) {
		return name
	}
	return string(quoted)
}
