package document

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"midwire/session/wire"
	"midwire/ui/term"
)

// ReadableJSON is a line of JSON with the characters for which escapes stand, as
// far as they can be seen: "\u00e9" is é. What is invisible stays an escape.
func ReadableJSON(line string) string {
	if !strings.Contains(line, `\`) {
		return Readable(line)
	}
	var b strings.Builder
	for i := 0; i < len(line); {
		switch n, r := wire.Escaped(line[i:]); {
		case line[i] != '\\':
			b.WriteByte(line[i])
			i++
		case strings.HasPrefix(line[i:], `\/`):
			b.WriteByte('/')
			i += 2
		case n == 0:
			b.WriteString(line[i:min(i+2, len(line))])
			i += 2
		case r != '"' && r != '\\' && r != utf8.RuneError && unicode.IsPrint(r) || joins(r):
			b.WriteRune(r)
			i += n
		default:
			b.WriteString(line[i : i+n])
			i += n
		}
	}
	return Readable(b.String())
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
