// Package safe turns text from the wire into text that a terminal only shows.
//
// Everything a peer wrote is hostile until it went through this package:
// escape sequences, C1 controls, direction overrides and invisible characters
// become visible placeholders. It happens when text becomes a cell or a printed
// line, never earlier, so that what is recorded stays as it was.
package safe

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"midwire/session/words"
)

// Text is text that can be written to a terminal as it is: valid UTF-8, one
// line, without control, format or separator characters other than the space.
// Only constants and this package make one.
type Text string

const (
	maxLine  = 16 << 10 // bytes of one line that are looked at
	maxMarks = 4        // combining marks on one character
	tabStop  = 4
)

// Clean is Line for callers that print plain text.
func Clean(s string) string { return string(Line(s)) }

// Whole is Clean without a limit on the length.
func Whole(s string) string { return clean(s, false) }

// Line makes s one line of text. Tabs become spaces, line breaks and other
// control characters their pictures (␊ ␛), what cannot be seen or lies about
// direction \uNNNN, and bytes that are not UTF-8 \xNN. What exceeds 16 KiB is
// cut off with an ellipsis. Text that is safe already stays as it is.
func Line(s string) Text {
	if len(s) > maxLine {
		return Text(clean(words.Clip(s, maxLine), false) + "…")
	}
	return Text(clean(s, false))
}

// Bytes is Line for a byte slice.
func Bytes(b []byte) Text {
	if len(b) > maxLine+utf8.UTFMax {
		b = b[:maxLine+utf8.UTFMax]
	}
	return Line(string(b))
}

// The marks around a placeholder in the result of Marked.
const (
	MarkOn  = '\x01'
	MarkOff = '\x02'
)

// Marked is Line without the limit, and with MarkOn and MarkOff around every
// placeholder, so that a real control character differs from a literal
// \u001b. The result is not Text: the caller takes the marks out.
func Marked(s string) string { return clean(s, true) }

func clean(s string, marked bool) string {
	if plain(s) {
		return s
	}
	c := cleaner{marked: marked}
	c.out.Grow(len(s) + 16)
	for i := 0; i < len(s); {
		if b := s[i]; b >= 0x20 && b < 0x7f {
			c.keep(rune(b))
			i++
			continue
		}
		r, n := syllable(s[i:])
		c.rune(r, s[i:i+n])
		i += n
	}
	return c.out.String()
}

// syllable is the first character of a text, with its bytes: Hangul that is written letter by
// letter is put together, since terminals disagree about the cells that letters take.
func syllable(s string) (rune, int) {
	const first, leads, vowels, tails = 0xac00, 19, 21, 28
	r, n := utf8.DecodeRuneInString(s)
	next, more := utf8.DecodeRuneInString(s[n:])
	if l, v := r-0x1100, next-0x1161; l >= 0 && l < leads && v >= 0 && v < vowels {
		r, n = first+(l*vowels+v)*tails, n+more
		next, more = utf8.DecodeRuneInString(s[n:])
	}
	open := r >= first && r < first+leads*vowels*tails && (r-first)%tails == 0
	if t := next - 0x11a7; open && t > 0 && t < tails {
		return r + t, n + more
	}
	return r, n
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

type cleaner struct {
	out    strings.Builder
	marked bool
	col    int  // characters so far, for tab stops
	base   rune // what a combining mark would sit on; 0 for nothing
	marks  int
}

func (c *cleaner) keep(r rune) {
	c.out.WriteRune(r)
	c.col++
	c.base, c.marks = r, 0
}

func (c *cleaner) placeholder(s string) {
	if c.marked {
		c.out.WriteByte(MarkOn)
	}
	c.out.WriteString(s)
	if c.marked {
		c.out.WriteByte(MarkOff)
	}
	c.col += len(s)
	c.base, c.marks = 0, 0
}

func (c *cleaner) rune(r rune, raw string) {
	switch {
	case r == utf8.RuneError && len(raw) <= 1:
		c.placeholder(fmt.Sprintf(`\x%02x`, raw[0]))
	case r == '\t':
		for ok := true; ok; ok = c.col%tabStop != 0 {
			c.keep(' ')
		}
	case r < 0x20:
		c.placeholder(string(0x2400 + r))
	case r == 0x7f:
		c.placeholder("␡")
	case r == 0xa0:
		c.keep(' ')
	case r == 0x3000: // the wide space of Chinese and Japanese text
		c.keep(' ')
		c.keep(' ')
	case r == 0xfe0f && unicode.Is(unicode.So, c.base):
		// The wish for the coloured form of ☎ or ❤ shows nothing by itself, and
		// terminals disagree about the width of the result: leave one out.
		c.base = 0
	case hidden(r) || !unicode.IsPrint(r):
		c.placeholder(escape(r))
	case unicode.Is(unicode.M, r):
		c.mark(r)
	default:
		c.keep(r)
	}
}

// mark keeps a combining mark on its character, but not on nothing, where it
// would sit on whatever stands to its left on the screen, and not in heaps.
func (c *cleaner) mark(r rune) {
	if c.base == 0 || c.marks >= maxMarks {
		c.placeholder(escape(r))
		return
	}
	c.out.WriteRune(r)
	c.marks++
}

// hidden lists what Unicode calls printable and is invisible, and what joins
// with the picture before it in some terminals and not in others: text after
// it would stand in the wrong column.
func hidden(r rune) bool {
	switch {
	case r == 0x034f, r == 0x115f, r == 0x17b4, r == 0x17b5, r == 0x2800, r == 0x3164, r == 0xffa0:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return true
	case r >= 0x1160 && r <= 0x11ff, r >= 0xd7b0 && r <= 0xd7ff: // letters of Hangul without a syllable
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

func escape(r rune) string {
	if r > 0xffff {
		return fmt.Sprintf(`\U%08x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
