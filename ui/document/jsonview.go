package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// jsonPart is a kind of piece of JSON text.
type jsonPart uint8

const (
	jsonPunct jsonPart = iota
	jsonKey
	jsonString
	jsonNumber
	jsonWord
)

func (p jsonPart) style(th *term.Theme) term.Style {
	switch p {
	case jsonKey:
		return th.JSONKey
	case jsonString:
		return th.JSONString
	case jsonNumber:
		return th.JSONNumber
	case jsonWord:
		return th.JSONWord
	}
	return term.Plain
}

// lexer remembers where a line of indented JSON begins: outside of strings, or
// inside one that began on the line before.
type lexer struct {
	in     jsonPart // jsonKey or jsonString inside a string, else jsonPunct
	escape bool     // the next character belongs to an escape
	value  bool     // a colon came on this line: the next string is a value
}

// skip moves the lexer over text without colouring it.
func (x *lexer) skip(s string) { x.colour(s, func(jsonPart, string) {}) }

// colour splits indented JSON into pieces, marked text never within a mark.
// The text may be cut anywhere else.
func (x *lexer) colour(s string, yield func(jsonPart, string)) {
	for i := 0; i < len(s); {
		from := i
		part := jsonPunct
		switch c := s[i]; {
		case x.in != jsonPunct:
			part = x.in
			i = x.inString(s, i)
		case c == '"':
			x.in = jsonString
			if !x.value && isKey(s[i:]) {
				x.in = jsonKey
			}
			part = x.in
			i = x.inString(s, i+1)
		case c == '-' || c >= '0' && c <= '9':
			part, i = jsonNumber, run(s, i, "+-.eE0123456789")
		case c >= 'a' && c <= 'z':
			part, i = jsonWord, run(s, i, "abcdefghijklmnopqrstuvwxyz")
		case c == safe.MarkOn:
			standIn, _, _ := strings.Cut(s[i:], string(rune(safe.MarkOff)))
			i = min(i+len(standIn)+1, len(s))
		default:
			x.value = x.value && c != ',' && c != '{' && c != '[' || c == ':'
			i++
		}
		yield(part, s[from:i])
	}
}

// inString goes to behind the closing quote, or to the end of the line.
func (x *lexer) inString(s string, i int) int {
	for ; i < len(s); i++ {
		switch {
		case x.escape:
			x.escape = false
		case s[i] == '\\':
			x.escape = true
		case s[i] == '"':
			x.in = jsonPunct
			return i + 1
		}
	}
	return i
}

// isKey says whether the string that begins s is followed by a colon. One that
// does not end on this line is taken for a value: long keys are rare.
func isKey(s string) bool {
	x := lexer{in: jsonString}
	i := x.inString(s, 1)
	return x.in == jsonPunct && i < len(s) && s[i] == ':'
}

func run(s string, i int, set string) int {
	for i < len(s) && strings.IndexByte(set, s[i]) >= 0 {
		i++
	}
	return i
}
