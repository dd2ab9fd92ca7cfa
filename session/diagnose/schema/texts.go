package schema

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// format is a format of texts that the schemas of the protocol name. They are
// asserted there alone: what a user's schema says of a format is a hint.
type format uint8

const (
	noFormat format = iota
	byteFormat
	uriFormat
	templateFormat
)

var formats = map[string]format{"byte": byteFormat, "uri": uriFormat, "uri-template": templateFormat}

// breaks says in what a text is not of the format, to follow on "is TEXT, which"; ""
// for nothing. What midwire masked may have been anything.
func (f format) breaks(v string) string {
	switch {
	case f == noFormat || strings.Contains(v, "redacted"):
		return ""
	case f == byteFormat:
		return breaksBase64(v)
	case f == uriFormat && !hasScheme(v):
		return "is not an absolute URI: it has no scheme such as https: or file:"
	case f == templateFormat && !isTemplate(v):
		return "is not a URI template: its braces do not match"
	}
	return ""
}

// breaksBase64 says in what a text is not base64 (RFC 4648 4). Line ends and missing
// signs at its end are passed over, as most decoders do.
func breaksBase64(v string) string {
	if strings.HasPrefix(v, "data:") {
		return "is a data URL and not base64 alone: the part up to the comma belongs to no member, or to mimeType"
	}
	body := strings.TrimRight(v, "=")
	if len(v)-len(body) > 2 {
		return "is not base64: it ends with " + show(v[len(body):])
	}
	length := 0
	for i := range len(body) {
		switch c := body[i]; {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/':
			length++
		case c == '\r' || c == '\n':
		case c == '-' || c == '_':
			return "is not base64 but its variant for URLs, with - and _ for + and /"
		default:
			_, n := utf8.DecodeRuneInString(body[i:])
			return "is not base64: it has " + Quote(body[i:i+n])
		}
	}
	if length%4 == 1 {
		return "is not base64: no text of that length is"
	}
	return ""
}

// hasScheme says whether a text begins with the scheme of a URI (RFC 3986 3.1).
func hasScheme(v string) bool {
	scheme, _, ok := strings.Cut(v, ":")
	if !ok || scheme == "" {
		return false
	}
	for i := range len(scheme) {
		c := scheme[i]
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '+' && c != '-' && c != '.') {
			return false
		}
	}
	return true
}

// isTemplate says whether the braces of a URI template match (RFC 6570 2).
func isTemplate(v string) bool {
	open := false
	for i := range len(v) {
		switch {
		case v[i] == '{' && open, v[i] == '}' && !open:
			return false
		case v[i] == '{' || v[i] == '}':
			open = !open
		}
	}
	return !open
}

// pattern is a regular expression. A nil one is one that is not understood.
type pattern struct {
	re     *regexp.Regexp
	weight int // about the number of its states
}

const (
	maxPattern  = 5_000   // weight of a pattern
	maxPatterns = 200_000 // weight of all patterns of a schema
)

// pattern reads a regular expression. One in the dialect of JavaScript that Go
// does not know is not wrong; it cannot be decided here. Neither can one that
// would take long.
func (c *compiler) pattern(key string, v any) *pattern {
	text, ok := v.(string)
	if !ok {
		c.wrong(key, "is "+aKind(v)+", and must be a string")
		return nil
	}
	if len(text) > maxPattern {
		c.n.odd = true
		return nil
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		c.n.odd = true
		return nil
	}
	p := &pattern{weight: weight(tree)}
	if c.s.patterns += p.weight; p.weight > maxPattern || c.s.patterns > maxPatterns {
		c.n.odd = true
		return nil
	}
	if p.re, err = regexp.Compile(text); err != nil {
		c.n.odd = true
		return nil
	}
	return p
}

// weight is about how many states an expression has once its repetitions are
// written out.
func weight(re *syntax.Regexp) int {
	sum := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		sum = min(sum+weight(sub), 1<<20)
	}
	if re.Op == syntax.OpRepeat {
		return min(sum*max(re.Min, re.Max, 1), 1<<20)
	}
	return sum
}

// match says whether a text matches, counting its steps. Beyond ASCII the
// dialects differ in what is a blank, a word, or one character.
func (r *run) match(p *pattern, text string) verdict {
	if p == nil {
		return unsure
	}
	if r.steps += len(text) * p.weight / 100; r.steps > maxSteps {
		return unsure
	}
	if p.re.MatchString(text) {
		return good
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return unsure
		}
	}
	return bad
}
