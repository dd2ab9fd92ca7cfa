package handle

import (
	"strings"

	"midwire/session/words"
)

// A handle may be a whole JSON string, or stand inside one: "[session: ab12]",
// a URL, JSON written as text. Inside a text it is a token: the longest stretch
// of characters of one class.

// Class is the set of character classes in a token.
type Class uint8

// The classes.
const (
	ClassWord Class = iota // letters, digits, _ and -
	ClassPath              // and those of base64, URLs and JWTs
)

// Has reports whether a character is of the class.
func (c Class) Has(b byte) bool {
	switch {
	case b >= '0' && b <= '9', b|0x20 >= 'a' && b|0x20 <= 'z', b == '_', b == '-':
		return true
	case b == '.', b == '+', b == '/', b == '=', b == '~', b == '%':
		return c == ClassPath
	}
	return false
}

// Run returns the token that begins at from. Full stops and the like at its
// end belong to the sentence.
func (c Class) Run(text string, from int) string {
	to := from
	for to < len(text) && c.Has(text[to]) {
		to++
	}
	if c == ClassPath {
		for to > from && (text[to-1] == '.' || text[to-1] == '/' || text[to-1] == '%') {
			to--
		}
	}
	return text[from:to]
}

// Tokens calls yield with every token of a text.
func Tokens(text string, yield func(from int, token string, c Class)) {
	for _, c := range [...]Class{ClassWord, ClassPath} {
		for i := 0; i < len(text); {
			if !c.Has(text[i]) {
				i++
				continue
			}
			end := i
			mixed := false
			for end < len(text) && c.Has(text[end]) {
				mixed = mixed || !ClassWord.Has(text[end])
				end++
			}
			if token := c.Run(text, i); token != "" && (c == ClassWord || mixed) {
				yield(i, token, c)
			}
			i = end
		}
	}
}

const minOpaque = 8

// MaxToken is the maximum length of a handle.
const MaxToken = 4 << 10

// Opaque reports whether a value looks like one that people do not type: a UUID, a
// hash, a random string. Words, numbers, names and dates do not.
func Opaque(s string) bool {
	if len(s) < minOpaque || len(s) > MaxToken {
		return false
	}
	digits, lower, upper, turns, hex := 0, 0, 0, 0, true
	last := byte(0)
	for i := range len(s) {
		kind := byte('-')
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			kind = '0'
			digits++
		case c >= 'a' && c <= 'z':
			kind = 'a'
			lower++
			hex = hex && c <= 'f'
		case c >= 'A' && c <= 'Z':
			kind = 'a'
			upper++
			hex = hex && c <= 'F'
		case !ClassPath.Has(c):
			return false
		default:
			hex = hex && c == '-'
		}
		if last != 0 && kind != last && kind != '-' && last != '-' {
			turns++
		}
		last = kind
	}
	letters := lower + upper
	switch {
	case lower == 0 && upper+digits == len(s) && len(s) >= 16 && upper > 0:
		return true // base32
	case digits == 0 && letters >= 20:
		return lower > 4 && upper > 4 && strings.IndexByte(s, '/') < 0 // random letters, not a word
	case digits == 0 || letters == 0:
		return false
	case hex:
		return true
	}
	return turns >= 3 || turns >= 2 && len(s) >= 12
}

// handleWords end the names of members, and the labels in texts, that hold
// handles.
var handleWords = [...]string{"id", "token", "cursor", "handle", "session", "state", "uuid", "guid", "ref", "key", "nonce", "ticket"}

// Named reports whether a member of that name is likely to hold a handle:
// session_id, browserId, cursor.
func Named(name string) bool {
	lower := words.Fold(name)
	for _, w := range handleWords {
		stem, ok := strings.CutSuffix(lower, w)
		if !ok {
			continue
		}
		if stem == "" || !IsLetter(stem[len(stem)-1]) {
			return true
		}
		// "sessionId" but not "valid"
		if c := name[len(stem)]; c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return false
}

// IsLetter reports whether a byte is an ASCII letter.
func IsLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// Label is the word in front of a token: "session" in "[session: ab12]".
func Label(text string, from int) string {
	head := text[max(0, from-40):from]
	head = strings.TrimRight(head, " \t\"'`#([{<")
	for _, sign := range [...]string{":", "=", " is"} {
		if before, ok := strings.CutSuffix(head, sign); ok {
			head = strings.TrimRight(before, " \t\"'`\\")
			break
		}
	}
	i := len(head)
	for i > 0 && ClassWord.Has(head[i-1]) {
		i--
	}
	return head[i:]
}

// Blamed reports whether the text of an error speaks of a handle: of its value, of
// what holds it ("session" of session_id), or of what kind it is.
func Blamed(text, value, name, kind string) bool {
	if len(value) >= 4 && words.Contains(text, value) {
		return true
	}
	blamed := func(word string) bool { return len(word) > 2 && words.Contains(text, word) }
	return blamed(stem(name)) || blamed(stem(kind))
}

// stem is what is left of the name of a member, a header, or a kind, without the
// word that says that it is a handle.
func stem(name string) string {
	name = strings.TrimPrefix(words.Fold(name), "mcp-")
	for _, w := range [...]string{"uuid", "guid", "id", "ref", "key"} {
		if s, ok := strings.CutSuffix(name, w); ok && s != "" {
			name = s
			break
		}
	}
	return strings.Trim(name, "_-. ")
}
