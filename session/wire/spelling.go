package wire

import (
	"bytes"
	"iter"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// maxUnescaped is how often escapes are read: JSON may be inside a string, and that again.
const maxUnescaped = 3

// Unescaped yields a payload with the characters that the escapes of its strings stand for:
// é may be written \u00e9, / as \/ and < as \u003c. Then it yields those of JSON inside a
// string, while there are any. What it yields is the caller's until the next one.
func Unescaped(payload []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if bytes.IndexByte(payload, '\\') < 0 {
			return
		}
		text := bytes.Clone(payload)
		for range maxUnescaped {
			n := unescape(text)
			if n == len(text) || !yield(text[:n]) {
				return
			}
			text = text[:n]
		}
	}
}

// Spelled reports whether has holds for a payload as it is written, or for what it stands for.
func Spelled(payload []byte, has func([]byte) bool) bool {
	if has(payload) {
		return true
	}
	for text := range Unescaped(payload) {
		if has(text) {
			return true
		}
	}
	return false
}

// ID is what all spellings of a JSON-RPC id, or of a progress token, have in common: a peer
// may escape characters that the other wrote plainly. "1" and 1 are different.
func ID(raw []byte) string {
	if bytes.IndexByte(raw, '\\') >= 0 {
		if s := Text(raw); s != "" {
			return `"` + s + `"`
		}
	}
	return string(raw)
}

// unescape puts characters in the place of escapes, and returns how long the text is now.
func unescape(b []byte) (to int) {
	for from := 0; from < len(b); {
		n := bytes.IndexByte(b[from:], '\\')
		if n < 0 {
			n = len(b) - from
		}
		to += copy(b[to:], b[from:from+n])
		if from += n; from+1 >= len(b) {
			return to + copy(b[to:], b[from:])
		}
		const stands = "\"\"\\\\//b\bf\fn\nr\rt\t" // each escape, and what it stands for
		n = 2
		if size, r := Escaped(b[from:]); size > 0 {
			to, n = to+utf8.EncodeRune(b[to:], r), size
		} else if i := bytes.IndexByte([]byte(stands), b[from+1]); i >= 0 && i%2 == 0 {
			b[to] = stands[i+1]
			to++
		} else {
			to += copy(b[to:], b[from:from+2])
		}
		from += n
	}
	return to
}

// Escaped is the length of the escape \uXXXX that s begins with, of two where they are one
// character, and that character; 0 for none.
func Escaped[T []byte | string](s T) (n int, r rune) {
	unit := func(s T) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		x, err := strconv.ParseUint(string(s[2:6]), 16, 16)
		return rune(x), err == nil
	}
	r, ok := unit(s)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return 6, r
	}
	low, _ := unit(s[6:])
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 6, r
	}
	return 12, r
}
