package words

import (
	"unicode"
	"unicode/utf8"
)

// Tokens is about how many tokens a language model reads for a text. It is counted in the
// units that the vocabularies of today cut text into first (words, up to three digits, runs
// of punctuation), with what their inner cuts cost on average. On definitions of tools it is
// within 10 % of o200k_base; other vocabularies differ from that by as much.
func Tokens(text []byte) int {
	n := 0 // in hundredths
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		kind := kindOf(r)
		runes, wide, last := 1, r >= utf8.RuneSelf, r
		for size < len(text) && (kind != digit || runes < 3) && kind != ideograph && kind != other {
			next, w := utf8.DecodeRune(text[size:])
			if kindOf(next) != kind || kind == letter && unicode.IsUpper(next) && unicode.IsLower(last) {
				break
			}
			runes, size, last, wide = runes+1, size+w, next, wide || next >= utf8.RuneSelf
		}
		text = text[size:]
		switch kind {
		case letter:
			n += 100 + 13*max(0, runes-7)
			if wide {
				n += 60
			}
		case foreign:
			n += max(100, 20*runes)
		case ideograph:
			n += 62
		case mark:
			n += max(100, 25*runes)
		case space:
			if runes > 1 {
				n += 100
			}
		default:
			n += 100
		}
	}
	return (n + 50) / 100
}

type runeKind uint8

const (
	letter    runeKind = iota // of a Latin alphabet
	foreign                   // of another alphabet
	ideograph                 // a letter that is a word or a syllable
	digit
	mark // ASCII punctuation
	space
	line
	other
)

func kindOf(r rune) runeKind {
	switch {
	case r == '\n' || r == '\r':
		return line
	case r == ' ' || r == '\t':
		return space
	case r >= '0' && r <= '9':
		return digit
	case r < utf8.RuneSelf && !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'):
		return mark
	case r < 0x250 && unicode.IsLetter(r):
		return letter
	case r >= 0x2e80 && r < 0xa000, r >= 0xac00 && r < 0xd7b0, r >= 0xf900 && r < 0xfb00, r >= 0x20000:
		return ideograph
	case unicode.IsLetter(r):
		return foreign
	}
	return other
}
