package wire

import (
	"bytes"
	"unicode/utf8"
)

// TextStart decodes about the first n bytes of a JSON string, so that the
// beginning of a huge one costs no more than that; anything else gives "".
func TextStart(raw []byte, n int) string {
	if len(raw) <= n+2 || len(raw) < 2 || raw[0] != '"' {
		return Text(raw)
	}
	end := 1 + n
	for end > 1 && !utf8.RuneStart(raw[end]) {
		end--
	}
	return Text(append(wholeEscapes(raw[:end]), '"'))
}

// maxSaid is how many bytes are looked at of a text that says something: that
// of a peer that means harm has megabytes.
const maxSaid = 64 << 10

// Said decodes a JSON string whose meaning is asked for, of a long one the beginning; anything
// else gives "". What is compared or sent again is read by Text.
func Said(raw []byte) string { return TextStart(raw, maxSaid) }

// wholeEscapes leaves out an escape that is cut off at the end of b. What it
// returns has no room behind it.
func wholeEscapes(b []byte) []byte {
	for i := 0; i < len(b); {
		next := bytes.IndexByte(b[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		if size := escapeSize(b[i:]); i+size <= len(b) {
			i += size
			continue
		}
		return b[:i:i]
	}
	return b[:len(b):len(b)]
}

// escapeSize is the length of the escape that b starts with.
func escapeSize(b []byte) int {
	if len(b) > 1 && b[1] == 'u' {
		return len(`\u0000`)
	}
	return 2
}

// TextLen is how many bytes a JSON string has when it is decoded, 0 for
// anything else. A pair of surrogates counts as two characters.
func TextLen(raw []byte) int {
	if len(raw) < 2 || raw[0] != '"' {
		return 0
	}
	in := raw[1 : len(raw)-1]
	n := len(in)
	for len(in) > 0 {
		i := bytes.IndexByte(in, '\\')
		if i < 0 {
			break
		}
		in = in[i:]
		size := min(escapeSize(in), len(in))
		if size == len(`\u0000`) {
			n -= size - len(Text(append(append([]byte{'"'}, in[:size]...), '"')))
		} else {
			n--
		}
		in = in[size:]
	}
	return n
}

const hexDigits = "0123456789abcdef"

// AppendEscaped appends text as the inside of a JSON string, and escapes no more
// than it must.
func AppendEscaped(b, text []byte) []byte {
	from := 0
	for i, c := range text {
		if c >= 0x20 && c != '"' && c != '\\' && c != 0x7f {
			continue
		}
		b = append(b, text[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return append(b, text[from:]...)
}

// Escapes is how many bytes AppendEscaped adds to a text.
func Escapes(text []byte) (n int) {
	for _, c := range text {
		switch {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t':
			n++
		case c < 0x20, c == 0x7f:
			n += len(`\u0000`) - 1
		}
	}
	return n
}
