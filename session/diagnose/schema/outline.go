package schema

import (
	"bytes"

	"midwire/session/wire"
)

// Outlines knows messages by their outline: all of a message but what neither a
// schema of its protocols nor wire.Duplicate can see. Traffic repeats itself: what was
// found once in an outline is right for each message that has it. The zero value is
// ready to use.
type Outlines struct {
	words map[string]bool // what the protocols distinguish among texts
	begin [256]uint64     // by first byte: the lengths of words, one bit each
	seen  map[string]*Outline
	text  []byte
}

// Outline is what was found in the messages of one outline.
type Outline struct {
	Twice string // the member that is there twice
	Dup   bool   // there is one

	known []known
}

// known are the faults that a definition of a protocol found.
type known struct {
	protocol *Protocol
	def      string
	faults   []Fault
}

const (
	maxOutline  = 2048 // bytes of one
	maxOutlines = 1024
)

// Add makes the outlines fit for the schema of one more protocol.
func (o *Outlines) Add(p *Protocol) {
	if o.words == nil {
		o.words = map[string]bool{}
	}
	for word := range p.words {
		if word != "" {
			o.words[word] = true
			o.begin[word[0]] |= 1 << (len(word) % 64)
		}
	}
	clear(o.seen)
}

// Of returns the outline of a message, which is valid JSON; nil when it is too large.
func (o *Outlines) Of(raw []byte) *Outline {
	if len(raw) > MaxValue || !o.read(raw) {
		return nil
	}
	one := o.seen[string(o.text)]
	if one == nil {
		if o.seen == nil || len(o.seen) >= maxOutlines {
			o.seen = map[string]*Outline{}
		}
		one = &Outline{}
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
			if i = stringEnd(raw, i); isName(raw, i) {
				i++
				continue
			}
			out = o.value(append(out, raw[copied:from]...), raw[from:i])
			copied = i
		case c == '-' || c >= '0' && c <= '9':
			for i++; i < len(raw) && raw[i] != ',' && raw[i] != '}' && raw[i] != ']' && raw[i] > ' '; i++ {
			}
			out = number(append(out, raw[copied:from]...), raw[from:i])
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

// stringEnd is wire.StringEnd, faster for strings as short as most names are.
func stringEnd(raw []byte, i int) int {
	for at := i + 1; at < len(raw) && at < i+20 && raw[at] != '\\'; at++ {
		if raw[at] == '"' {
			return at + 1
		}
	}
	return wire.StringEnd(raw, i)
}

// isName says whether the string that ends at i is the name of a member.
func isName(raw []byte, i int) bool {
	for i < len(raw) && raw[i] <= ' ' {
		i++
	}
	return i < len(raw) && raw[i] == ':'
}

// value writes a JSON string that is a value.
func (o *Outlines) value(out, s []byte) []byte {
	if len(s) <= len(`""`) {
		return append(out, '\'')
	}
	in := s[1 : len(s)-1]
	if o.begin[in[0]]&(1<<(len(in)%64)) != 0 && o.words[string(in)] {
		return append(out, s...)
	}
	// What shape takes for a word: no word has a character that has an escape of its own.
	if len(in) <= maxEscaped && (bytes.Contains(in, escapedCode) || bytes.Contains(in, escapedSlash)) {
		if word := wire.Text(s); o.words[word] {
			return append(append(append(out, '"'), word...), '"')
		}
	}
	return append(out, '\'')
}

var escapedCode, escapedSlash = []byte(`\u`), []byte(`\/`)

// number writes what numberShape distinguishes.
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
