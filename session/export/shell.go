package export

import (
	"fmt"
	"strings"

	"midwire/session/safe"
)

// shellQuote makes one word of a POSIX shell of bytes that are not NUL.
func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// shellWord is text as one word of a POSIX shell, readable and safe for a
// terminal: what is not plain is made by printf. Trailing line feeds and NUL,
// which no word can hold, are lost.
func shellWord(text string) string {
	if isPlain(text) {
		return shellQuote(text)
	}
	return `"$(` + shellPrint(text) + `)"`
}

// shellPrint is a command that prints exactly these bytes.
func shellPrint(text string) string {
	if isPlain(text) {
		return "printf %s " + shellQuote(text)
	}
	var b strings.Builder
	for i := range len(text) {
		switch c := text[i]; {
		case c == '%':
			b.WriteString("%%")
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\'' || c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return "printf '" + b.String() + "'"
}

// isPlain reports whether text may stand in a command as it is.
func isPlain(text string) bool { return safe.Whole(text) == text }

// comment is a comment of a shell, one line.
func comment(text string) string { return "# " + safe.Clean(text) + "\n" }
