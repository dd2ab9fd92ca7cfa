package document

import (
	"strings"

	"midwire/session/safe"
	"midwire/ui/term"
)

// JSON adds text from the wire in the colours of JSON, a line or a part of one. What
// is no JSON is plain.
func (p *Pen) JSON(text string) {
	for text != "" {
		n, st := JSONToken(p.Th, text)
		p.Marked(st, safe.Marked(text[:n]))
		text = text[n:]
	}
}

// JSONToken is the length of what a line of JSON begins with, and its colour. The
// line may not be empty.
func JSONToken(th *term.Theme, s string) (int, term.Style) {
	if s[0] == '"' {
		n := min(stringEnd([]byte(s), 0), len(s))
		if strings.HasPrefix(strings.TrimLeft(s[n:], " "), ":") {
			return n, th.JSONKey
		}
		return n, th.JSONString
	}
	n := strings.IndexAny(s, `" ,:[]{}`)
	switch {
	case n < 0:
		n = len(s)
	case n == 0:
		return 1, term.Plain
	}
	switch {
	case strings.Contains("-0123456789", s[:1]):
		return n, th.JSONNumber
	case s[:n] == "true" || s[:n] == "false" || s[:n] == "null":
		return n, th.JSONWord
	}
	return n, term.Plain
}
