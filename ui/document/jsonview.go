package document

import (
	"iter"
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

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
		part, end := x.next(s, i)
		yield(part, s[i:end])
		i = end
	}
}

// next is the piece that begins at i, and where it ends.
func (x *lexer) next(s string, i int) (part jsonPart, end int) {
	switch c := s[i]; {
	case x.in != jsonPunct:
		part = x.in
		return part, x.inString(s, i)
	case c == '"':
		x.in = jsonString
		if !x.value && isKey(s[i:]) {
			x.in = jsonKey
		}
		part = x.in
		return part, x.inString(s, i+1)
	case c == safe.MarkOn:
		standIn, _, _ := strings.Cut(s[i:], string(rune(safe.MarkOff)))
		return jsonPunct, min(i+len(standIn)+1, len(s))
	case strings.IndexByte(" ,:[]{}", c) >= 0:
		x.value = x.value && c != ',' && c != '{' && c != '[' || c == ':'
		return jsonPunct, i + 1
	}
	if end = i + strings.IndexAny(s[i:], " \",:[]{}"+string(rune(safe.MarkOn))); end < i {
		end = len(s)
	}
	switch word := s[i:end]; {
	case strings.Contains("-0123456789", word[:1]):
		part = jsonNumber
	case word == "true" || word == "false" || word == "null":
		part = jsonWord
	}
	return part, end
}

// JSONSegs are segments of a line of JSON, or a part of one, in its colours. What is
// no JSON is plain.
func JSONSegs(th *term.Theme, line string) (out []term.Seg) {
	for line != "" {
		n, st := JSONToken(th, line)
		if k := len(out) - 1; k >= 0 && out[k].Style == st {
			out[k].Text += safe.Line(line[:n])
		} else {
			out = append(out, term.S(st, safe.Line(line[:n])))
		}
		line = line[n:]
	}
	return out
}

// JSONToken is the length of what a line of JSON begins with, and its colour. The
// line may not be empty.
func JSONToken(th *term.Theme, line string) (int, term.Style) {
	part, n := new(lexer).next(line, 0)
	return n, part.style(th)
}

// JSONTokens are the tokens of JSON, which may be cut, without what is between them but
// for a blank after colons and commas.
func JSONTokens(th *term.Theme, raw []byte) iter.Seq2[string, term.Style] {
	return func(yield func(string, term.Style) bool) {
		rest := strings.TrimLeft(string(raw), " \t\r\n")
		for rest != "" {
			n, st := JSONToken(th, rest)
			token := rest[:n]
			if rest = strings.TrimLeft(rest[n:], " \t\r\n"); token == ":" || token == "," {
				token += " "
			}
			if !yield(token, st) {
				return
			}
		}
	}
}

// JSON adds a line of JSON from the wire.
func (p *Pen) JSON(text string) {
	var x lexer
	x.colour(safe.Marked(text), func(part jsonPart, piece string) { p.Marked(part.style(p.Th), piece) })
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
	return x.in == jsonPunct && strings.HasPrefix(strings.TrimLeft(s[i:], " "), ":")
}
