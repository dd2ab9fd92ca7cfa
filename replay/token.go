package replay

import (
	"strings"
	"unicode/utf8"
)

// A handle may be a whole JSON string, or stand inside one: "[session: ab12]",
// a URL, JSON written as text. Inside a text it is a token: the longest stretch
// of characters of one class.

// class is what characters a token has.
type class uint8

const (
	classWord class = iota // letters, digits, _ and -
	classPath              // and those of base64, URLs and JWTs
)

func (c class) has(b byte) bool {
	switch {
	case b >= '0' && b <= '9', b|0x20 >= 'a' && b|0x20 <= 'z', b == '_', b == '-':
		return true
	case b == '.', b == '+', b == '/', b == '=', b == '~', b == '%':
		return c == classPath
	}
	return false
}

// run returns the token that begins at from. Full stops and the like at its
// end belong to the sentence.
func (c class) run(text string, from int) string {
	to := from
	for to < len(text) && c.has(text[to]) {
		to++
	}
	if c == classPath {
		for to > from && (text[to-1] == '.' || text[to-1] == '/' || text[to-1] == '%') {
			to--
		}
	}
	return text[from:to]
}

// tokens calls yield with every token of a text.
func tokens(text string, yield func(from int, token string, c class)) {
	for _, c := range [...]class{classWord, classPath} {
		for i := 0; i < len(text); {
			if !c.has(text[i]) {
				i++
				continue
			}
			end := i
			mixed := false
			for end < len(text) && c.has(text[end]) {
				mixed = mixed || !classWord.has(text[end])
				end++
			}
			if token := c.run(text, i); token != "" && (c == classWord || mixed) {
				yield(i, token, c)
			}
			i = end
		}
	}
}

const (
	minOpaque = 8
	maxToken  = 4 << 10
)

// opaque says whether a value looks like one that nobody would type: a UUID, a
// hash, a random string. Words, numbers, names and dates do not.
func opaque(s string) bool {
	if len(s) < minOpaque || len(s) > maxToken {
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
		case !classPath.has(c):
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

// handleName says whether a member of that name is likely to hold a handle:
// session_id, browserId, cursor.
func handleName(name string) bool {
	lower := strings.ToLower(name)
	for _, w := range handleWords {
		stem, ok := strings.CutSuffix(lower, w)
		if !ok {
			continue
		}
		if stem == "" || !isLetter(stem[len(stem)-1]) {
			return true
		}
		// "sessionId" but not "valid"
		if c := name[len(stem)]; c >= 'A' && c <= 'Z' {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// label is the word in front of a token: "session" in "[session: ab12]".
func label(text string, from int) string {
	head := text[max(0, from-40):from]
	head = strings.TrimRight(head, " \t\"'`#([{<")
	for _, sign := range [...]string{":", "=", " is"} {
		if before, ok := strings.CutSuffix(head, sign); ok {
			head = strings.TrimRight(before, " \t\"'`\\")
			break
		}
	}
	i := len(head)
	for i > 0 && classWord.has(head[i-1]) {
		i--
	}
	return head[i:]
}

// cut remembers where in a text a token stood, by what was around it.
type cut struct {
	Before  string // what stands before it
	Ordinal int    // how often Before occurs earlier in the text
	After   string // the character that follows it, "" at the end
	Class   class
}

const cutContext = 24

// newCut describes a token of a text.
func newCut(text string, from int, token string, c class) cut {
	start := max(0, from-cutContext)
	for start < from && !utf8.RuneStart(text[start]) {
		start++
	}
	k := cut{Before: text[start:from], Class: c}
	if k.Before != "" {
		k.Ordinal = strings.Count(text[:start], k.Before)
	}
	if rest := text[from+len(token):]; rest != "" {
		_, n := utf8.DecodeRuneInString(rest)
		k.After = rest[:n]
	}
	return k
}

// take returns the token that stands in that place in another text, "" when
// there is none. When less of what stood before is the same, less must do.
func (k cut) take(text string) string {
	if k.Before == "" {
		return k.Class.run(text, 0)
	}
	for before := k.Before; before != ""; before = shorten(before) {
		if before == k.Before && k.Ordinal > 0 {
			if v := k.nth(text, before, k.Ordinal, true); v != "" {
				return v
			}
		}
		if v := k.nth(text, before, 0, true); v != "" {
			return v
		}
	}
	return k.nth(text, k.Before, k.Ordinal, false)
}

// nth looks for the token behind the occurrence of that number; exact when what
// follows the token must be what followed it.
func (k cut) nth(text, before string, ordinal int, exact bool) string {
	for at := 0; ; {
		i := strings.Index(text[at:], before)
		if i < 0 {
			return ""
		}
		at += i + len(before)
		if ordinal > 0 {
			ordinal--
			continue
		}
		token := k.Class.run(text, at)
		rest := text[at+len(token):]
		if token != "" && (!exact || strings.HasPrefix(rest, k.After) && (k.After != "" || rest == "")) {
			return token
		}
	}
}

// shorten drops the first word of a text.
func shorten(s string) string {
	i := 0
	for i < len(s) && classWord.has(s[i]) {
		i++
	}
	for i < len(s) && !classWord.has(s[i]) {
		i++
	}
	return s[i:]
}
