package redact

import (
	"bytes"
	"strings"
)

// quote is how the quotes of strings are written where JSON is within a string
// within JSON: with so many backslashes, 1, 3, 7 … for each level, or as \u0022.
// The zero value is a plain quote.
type quote struct {
	slashes int
	unicode bool
}

const (
	unicodeQuote = "u0022"
	maxSlashes   = 1<<6 - 1 // more levels do not occur
)

// quoteBefore returns the quote that ends in front of b[end], and where it
// begins; false when there is none.
func quoteBefore(b []byte, end int) (q quote, from int, ok bool) {
	if end == 0 {
		return q, 0, false
	}
	from = end - 1
	if b[from] != '"' {
		if !bytes.HasSuffix(b[:end], []byte(unicodeQuote)) {
			return q, end, false
		}
		q.unicode = true
		from = end - len(unicodeQuote)
	}
	if q.slashes = backslashes(b[:from]); q.slashes > maxSlashes {
		return q, end, false
	}
	from -= q.slashes
	if q.unicode {
		return q, from, q.slashes > 0 && q.slashes&(q.slashes-1) == 0
	}
	return q, from, q.slashes&(q.slashes+1) == 0
}

// lengthAt returns the length of the quote at b[i:], 0 when it is not there.
func (q quote) lengthAt(b []byte, i int) int {
	for n := range q.slashes {
		if i+n >= len(b) || b[i+n] != '\\' {
			return 0
		}
	}
	i += q.slashes
	switch {
	case q.unicode && i <= len(b) && bytes.HasPrefix(b[i:], []byte(unicodeQuote)):
		return q.slashes + len(unicodeQuote)
	case !q.unicode && i < len(b) && b[i] == '"':
		return q.slashes + 1
	}
	return 0
}

// end finds where the string ends whose inside begins at i: with a quote of its
// own, or with the string around it. closed is false when b ended first.
func (q quote) end(b []byte, i int) (end int, closed bool) {
	unit := q.slashes + 1 // how a backslash of the string itself is written
	if q.unicode {
		unit = 2 * q.slashes
	}
	for begin := i; i < len(b); {
		if n := nextQuote(b[i:], q.unicode); n >= 0 {
			i += n
		} else {
			break
		}
		before := backslashes(b[begin:i])
		own := b[i] == '"' != q.unicode
		switch rest := before % unit; {
		case own && rest == q.slashes%unit:
			if (before-q.slashes)/unit%2 == 0 {
				return i - q.slashes, true
			}
		case b[i] == '"' && rest < max(q.slashes, 1) && !(q.unicode && rest == q.slashes):
			return i - rest, true // the string around it ends
		}
		i++
	}
	return len(b), false
}

// nextQuote finds the next quote, also one that is written as \u0022.
func nextQuote(b []byte, unicode bool) int {
	if !unicode {
		return bytes.IndexByte(b, '"')
	}
	for i, c := range b {
		if c == '"' || c == 'u' && i > 0 && b[i-1] == '\\' && bytes.HasPrefix(b[i:], []byte(unicodeQuote)) {
			return i
		}
	}
	return -1
}

// backslashes counts those at the end of b.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

// inString reports whether such quotes are within a string.
func (q quote) inString() bool { return q.slashes > 0 }

// text is the quote itself.
func (q quote) text() string {
	end := `"`
	if q.unicode {
		end = unicodeQuote
	}
	return strings.Repeat(`\`, q.slashes) + end
}

// skipBlank steps over white space, which within a string may be escaped.
func skipBlank(b []byte, i int, q quote) int {
	for i < len(b) {
		switch c := b[i]; {
		case c == '\n' && bytes.HasPrefix(b[i+1:], []byte("data:")): // the next line of an event
			i += len("\ndata:")
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case c == '\\' && q.inString():
			n := i
			for n < len(b) && b[n] == '\\' {
				n++
			}
			if n >= len(b) || b[n] != 'n' && b[n] != 'r' && b[n] != 't' {
				return i
			}
			i = n + 1
		default:
			return i
		}
	}
	return i
}

// unescaped is a name with its escapes decoded, as far as they are letters.
func unescaped(name []byte) []byte {
	var out []byte
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			out = append(out, name[i])
			continue
		}
		i += backslashesAhead(name[i:])
		if i+4 < len(name) && name[i] == 'u' {
			var r byte
			for _, c := range name[i+1 : i+5] {
				r = r<<4 | hexValue(c)
			}
			out = append(out, r)
			i += 4
		}
	}
	return out
}

func backslashesAhead(b []byte) int {
	n := 0
	for n < len(b) && b[n] == '\\' {
		n++
	}
	return n
}

func hexValue(c byte) byte {
	if c >= '0' && c <= '9' {
		return c - '0'
	}
	return (c | 0x20 - 'a' + 10) & 15
}
