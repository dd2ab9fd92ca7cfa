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

// read writes the outline to text: without blanks, each text that is no word as one
// sign, and each number as the class that it is of. It returns false when that is too
// long.
func (o *Outlines) read(raw []byte) bool {
	out := o.text[:0]
	defer func() { o.text = out }()
	for i := 0; i < len(raw); {
		if len(out) >= maxOutline {
			return false
		}
		switch c := raw[i]; c {
		case '"':
			from := i
			i = wire.StringEnd(raw, i)
			out = o.string(out, raw[from:i], isName(raw, i))
		case '{', '}', '[', ']', ',':
			out = append(out, c)
			i++
		case 't':
			out = append(out, 't')
			i += 4
		case 'f':
			out = append(out, 'f')
			i += 5
		case 'n':
			out = append(out, 'n')
			i += 4
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			from := i
			for i++; i < len(raw) && raw[i] != ',' && raw[i] != '}' && raw[i] != ']' && raw[i] > ' '; i++ {
			}
			out = number(out, raw[from:i])
		default: // blanks and colons
			i++
		}
	}
	return len(out) < maxOutline
}

// isName says whether the string that ends at i is the name of a member.
func isName(raw []byte, i int) bool {
	for i < len(raw) && raw[i] <= ' ' {
		i++
	}
	return i < len(raw) && raw[i] == ':'
}

// string writes a JSON string: as it is when it is a name.
func (o *Outlines) string(out, s []byte, name bool) []byte {
	if name {
		return append(append(out, s...), ':')
	}
	in := s[1 : len(s)-1]
	if len(in) == 0 {
		return append(out, '\'')
	}
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
