package document

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"midwire/ui/term"
)

// ReadableJSON is a line of JSON with the characters for which escapes stand, as
// far as they can be seen: "\u00e9" is é. What is invisible stays an escape.
func ReadableJSON(line string) string {
	if !strings.Contains(line, `\u`) {
		return Readable(line)
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		switch n, r := escaped(line[i:]); {
		case line[i] != '\\':
			b.WriteByte(line[i])
			i++
		case n == 0:
			b.WriteString(line[i:min(i+2, len(line))])
			i += 2
		case r > 0x7f && r != utf8.RuneError && unicode.IsPrint(r) || joins(r):
			b.WriteRune(r)
			i += n
		default:
			b.WriteString(line[i : i+n])
			i += n
		}
	}
	return Readable(b.String())
}

// escaped is the length of the escape \uXXXX that s begins with, of two where they
// are one character, and that character; 0 for none.
func escaped(s string) (n int, r rune) {
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		x, err := strconv.ParseUint(s[2:6], 16, 16)
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

const joiner = 0x200d

// joins says whether a character makes one emoji of several, or changes how one
// looks.
func joins(r rune) bool { return r == joiner || r == 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff }

// Readable is a text in which an emoji of several joined ones, which terminals draw
// in different widths, is these beside each other.
func Readable(text string) string {
	if !strings.ContainsFunc(text, joins) {
		return text
	}
	var b strings.Builder
	for text != "" {
		bytes, _ := term.Cluster(text)
		cluster := text[:max(bytes, 1)]
		if first, _ := utf8.DecodeRuneInString(cluster); unicode.Is(unicode.So, first) {
			b.WriteString(strings.Map(func(r rune) rune {
				if joins(r) {
					return -1
				}
				return r
			}, cluster))
		} else {
			b.WriteString(cluster)
		}
		text = text[len(cluster):]
	}
	return b.String()
}
