// Package outline says what messages have in common that differ in texts and numbers
// alone. Traffic repeats itself: what was found once in an outline is right for each
// message that has it.
package outline

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"midwire/session/wire"
)

// Outlines knows messages by their outline: all of a message but what neither a
// schema of the published protocol versions nor wire.Duplicate can see. One goroutine at
// a time may use it; the zero value is ready to use.
type Outlines struct {
	seen map[string]*Outline
	text []byte
}

// Outline is what was found in the messages of one outline. It does not change.
type Outline struct {
	Twice string // the member that is there twice
	Dup   bool   // there is one
	Hash  uint64 // of all that the messages have in common
}

// words are what the protocol versions distinguish among texts, by length.
var words = sync.OnceValue(func() *[maxWord + 1][]string {
	var by [maxWord + 1][]string
	for word := range strings.Lines(list) {
		word = strings.TrimSuffix(word, "\n")
		by[len(word)] = append(by[len(word)], word)
	}
	return &by
})

// list has a line for each constant of the published schemas; a test of package schema
// holds it.
//
//go:embed words.txt
var list string

const (
	maxOutline  = 2048 // bytes of one
	maxOutlines = 1024
	maxValue    = 4 << 20
	maxWord     = 40  // bytes of the longest
	maxEscaped  = 256 // how long a text with escapes may be to be taken for a word
)

// isWord says whether the protocol versions distinguish a text.
func isWord(text []byte) bool {
	if len(text) > maxWord {
		return false
	}
	return slices.Contains(words()[len(text)], string(text))
}

// Of returns the outline of a message, which is valid JSON; nil when it is too large.
func (o *Outlines) Of(raw []byte) *Outline {
	if len(raw) > maxValue || !o.read(raw) {
		return nil
	}
	one := o.seen[string(o.text)]
	if one == nil {
		if o.seen == nil || len(o.seen) >= maxOutlines {
			o.seen = map[string]*Outline{}
		}
		one = &Outline{Hash: wire.Hash(o.text)}
		one.Twice, one.Dup = wire.Duplicate(raw)
		o.seen[string(o.text)] = one
	}
	return one
}

// read writes the outline to text: each text that is no word as one sign, and each
// number as the class that it is of. It returns false when that is too long.
func (o *Outlines) read(raw []byte) bool {
	out, copied := o.text[:0], 0
	for i := 0; i < len(raw) && len(out)+i-copied < maxOutline; {
		from := i
		switch c := raw[i]; {
		case c == '"':
			if i = wire.StringEnd(raw, i); isName(raw, i) {
				i++
				continue
			}
			out = value(append(out, raw[copied:from]...), raw[from:i])
			copied = i
		case c == '-' || c >= '0' && c <= '9':
			for i++; i < len(raw) && raw[i] >= '0' && raw[i] <= '9'; i++ {
			}
			whole := c != '-'
			for ; i < len(raw) && raw[i] != ',' && raw[i] != '}' && raw[i] != ']' && raw[i] > ' '; i++ {
				whole = false
			}
			switch out = append(out, raw[copied:from]...); {
			case !whole:
				out = number(out, raw[from:i])
			case i == from+1 && c <= '1':
				out = append(out, c)
			default:
				out = append(out, '9')
			}
			copied = i
		default:
			i++
		}
	}
	if len(out)+len(raw)-copied < maxOutline {
		o.text = append(out, raw[copied:]...)
		return true
	}
	o.text = out
	return false
}

// isName says whether the string that ends at i is the name of a member.
func isName(raw []byte, i int) bool {
	for i < len(raw) && raw[i] <= ' ' {
		i++
	}
	return i < len(raw) && raw[i] == ':'
}

// value writes a JSON string that is a value.
func value(out, s []byte) []byte {
	if len(s) <= len(`""`) {
		return append(out, '\'')
	}
	in := s[1 : len(s)-1]
	if isWord(in) {
		return append(out, s...)
	}
	// What spells a word: no word has a character that has an escape of its own.
	if len(in) <= maxEscaped && bytes.IndexByte(in, '\\') >= 0 &&
		(bytes.Contains(in, escapedCode) || bytes.Contains(in, escapedSlash)) {
		if word := wire.Text(s); word != "" && isWord([]byte(word)) {
			return append(append(append(out, '"'), word...), '"')
		}
	}
	return append(out, '\'')
}

var escapedCode, escapedSlash = []byte(`\u`), []byte(`\/`)

// number writes where a number lies to 0 and 1, the only bounds that the protocol versions have.
func number(out, text []byte) []byte {
	before, after, point := bytes.Cut(text, []byte("."))
	switch {
	case bytes.ContainsAny(text, "eE") || string(before) == "-0":
		return append(append(out, '#'), text...)
	case text[0] == '-':
		out = append(out, '-')
	case string(before) == "0" || string(before) == "1":
		out = append(out, before[0])
	default:
		out = append(out, '9')
	}
	if point && len(bytes.Trim(after, "0")) > 0 {
		out = append(out, '.')
	}
	return out
}
