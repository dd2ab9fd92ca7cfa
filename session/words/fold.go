package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold is a text in lower case, byte for byte as long as it was: an offset in
// one is the same place in the other. A letter whose lower case has another
// length stays as it is (İ, ẞ, Ⱥ, the Kelvin sign), and so does what is no
// UTF-8. It is the one case fold of midwire: text from the wire must not choose
// where an offset points. A text that is folded already is not copied.
func Fold(s string) string {
	i := 0
	for i < len(s) && s[i] < utf8.RuneSelf && !isUpper(s[i]) {
		i++
	}
	if i == len(s) {
		return s
	}
	b := []byte(s)
	if !fold(b[i:]) {
		return s
	}
	return string(b)
}

// FoldBytes is a folded copy of b.
func FoldBytes(b []byte) []byte {
	b = slices.Clone(b)
	fold(b)
	return b
}

// fold folds in place and reports whether that changed a byte.
func fold(b []byte) (changed bool) {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if isUpper(c) {
				b[i], changed = c|0x20, true
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if low := unicode.ToLower(r); low != r && utf8.RuneLen(low) == n {
			utf8.EncodeRune(b[i:], low)
			changed = true
		}
		i += n
	}
	return changed
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// Equal reports whether two texts are one but for their case.
func Equal(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		x, y := a[i], b[i]
		if x|y >= utf8.RuneSelf {
			return Fold(a[i:]) == Fold(b[i:])
		}
		if x != y && (x|0x20 != y|0x20 || !isUpper(x&^0x20)) {
			return false
		}
	}
	return true
}

// HasPrefix is strings.HasPrefix whatever the case: a text that has the prefix
// has it in its first len(prefix) bytes.
func HasPrefix(s, prefix string) bool {
	return len(s) >= len(prefix) && Equal(s[:len(prefix)], prefix)
}

// Contains is strings.Contains whatever the case.
func Contains(s, part string) bool { return Index(s, part) >= 0 }

// Index is strings.Index whatever the case: what it finds is len(part) bytes
// of s long.
func Index(s, part string) int {
	const short = 64 // a longer one may take the square of the time
	part = Fold(part)
	if len(part) == 0 || len(part) > short || !isASCII(part) {
		return strings.Index(Fold(s), part)
	}
	for i := 0; i+len(part) <= len(s); i++ {
		// Only a letter of ASCII folds to one.
		if c := s[i]; (c == part[0] || isUpper(c) && c|0x20 == part[0]) && Equal(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Capital is a text with a capital letter at its begin, where that is of ASCII.
func Capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]&^0x20) + s[1:]
}
