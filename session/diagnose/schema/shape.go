package schema

import (
	"bytes"
	"slices"

	"midwire/session/wire"
)

// Kinds of value that a schema of the protocol can distinguish.
const (
	shapeText   = 0x9E3779B97F4A7C15
	shapeTrue   = 0xC2B2AE3D27D4EB4F
	shapeFalse  = 0xE2B2AE3D27D4EB4F
	shapeNull   = 0x165667B19E3779F9
	shapeList   = 0x27D4EB2F165667C5
	shapeObject = 0x85EBCA77C2B2AE63
	shapeNumber = 0xD6E8FEB86659FD93
	shapeKey    = 0xA0761D6478BD642F
	shapeLong   = 0xE7037ED1A0B428DB
)

// shape is a number that two values have in common only when no schema of the
// protocol version can distinguish them: names of members that it knows, kinds, the
// words that it lists, and where numbers lie to 0 and 1, the only bounds there
// are. What an array or an unknown member repeats counts once. raw is valid
// JSON; ok is false when it is nested too deeply to be looked at.
func (p *Protocol) shape(raw []byte) (h uint64, ok bool) {
	s := shaper{p: p.document, raw: raw}
	h = s.value(0)
	return h, !s.deep
}

// shaper passes over JSON that is known to be valid, once.
type shaper struct {
	p    *document
	raw  []byte
	i    int
	deep bool
}

func mix(a, b uint64) uint64 {
	a ^= b * shapeText
	a ^= a >> 29
	a *= 0xBF58476D1CE4E5B9
	return a ^ a>>32
}

func (s *shaper) space() {
	for s.i < len(s.raw) && s.raw[s.i] <= ' ' {
		s.i++
	}
}

func (s *shaper) value(level int) uint64 {
	if s.space(); level > maxNested {
		s.deep, s.i = true, len(s.raw)
	}
	if s.i >= len(s.raw) {
		return 0
	}
	switch s.raw[s.i] {
	case '"':
		text := s.text()
		if h, ok := s.p.words[string(text)]; ok {
			return h
		}
		if bytes.IndexByte(text, '\\') >= 0 {
			return s.word(text)
		}
		return shapeText
	case '{':
		return s.object(level + 1)
	case '[':
		return s.list(level + 1)
	case 't':
		s.i += 4
		return shapeTrue
	case 'f':
		s.i += 5
		return shapeFalse
	case 'n':
		s.i += 4
		return shapeNull
	}
	return s.number()
}

// maxEscaped is how long a text with escapes may be to be taken for a word.
const maxEscaped = 256

// word is a text with escapes, which may spell a word of the schema.
func (s *shaper) word(text []byte) uint64 {
	if len(text) > maxEscaped {
		return shapeText
	}
	v, err := wire.Value(slices.Concat([]byte{'"'}, text, []byte{'"'}))
	if t, ok := v.(string); ok && err == nil {
		if h, known := s.p.words[t]; known {
			return h
		}
	}
	return shapeText
}

// text passes over a string and returns what is between its quotes.
func (s *shaper) text() []byte {
	from := s.i + 1
	s.i = wire.StringEnd(s.raw, s.i)
	return bytes.TrimSuffix(s.raw[min(from, s.i):s.i], []byte{'"'})
}

func (s *shaper) number() uint64 {
	from := s.i
	for s.i < len(s.raw) && s.raw[s.i] != ',' && s.raw[s.i] != '}' && s.raw[s.i] != ']' && s.raw[s.i] > ' ' {
		s.i++
	}
	if s.i == from {
		s.i++ // not JSON: go on anyway
		return 0
	}
	return numberShape(s.raw[from:s.i])
}

func numberShape(text []byte) uint64 {
	h := uint64(shapeNumber)
	before, after, point := bytes.Cut(text, []byte("."))
	fraction := point && len(bytes.Trim(after, "0")) > 0
	switch {
	case bytes.ContainsAny(text, "eE") || string(before) == "-0":
		// Rare, and where it lies takes reading it: all of it counts.
		for _, c := range text {
			h = mix(h, uint64(c))
		}
		return h
	case text[0] == '-':
		h = mix(h, 1)
	case string(before) == "0":
		h = mix(h, 2)
	case string(before) == "1":
		h = mix(h, 3)
	default:
		h = mix(h, 4)
	}
	if fraction {
		return mix(h, 5)
	}
	return h
}

// A handful of what came last, so that what is repeated counts once.
type recent struct {
	list [8]uint64
	n    int
}

func (r *recent) had(h uint64) bool {
	if slices.Contains(r.list[:min(r.n, len(r.list))], h) {
		return true
	}
	r.list[r.n%len(r.list)] = h
	r.n++
	return false
}

func (s *shaper) object(level int) uint64 {
	s.i++
	sum := uint64(shapeObject)
	var others recent
	for {
		s.space()
		if s.i >= len(s.raw) {
			return sum
		}
		switch s.raw[s.i] {
		case '}':
			s.i++
			return mix(sum, shapeObject)
		case '"':
			key := s.text()
			h, known := s.p.keys[string(key)]
			if !known {
				h = shapeKey
				if bytes.IndexByte(key, '\\') >= 0 {
					h = mix(h, hashOf(string(key))) // it may spell a name of the schema
				}
			}
			s.space()
			s.i++ // the colon
			if s.space(); known && s.p.formatted[string(key)] && s.i < len(s.raw) && s.raw[s.i] == '"' {
				h = mix(h, formatShape(s.text()))
			} else {
				h = mix(h, s.value(level))
			}
			if known || !others.had(h) {
				sum += h // members have no order
			}
		default:
			s.i++
		}
	}
}

func (s *shaper) list(level int) uint64 {
	s.i++
	sum := uint64(shapeList)
	var items recent
	for n := 0; ; {
		s.space()
		if s.i >= len(s.raw) {
			return sum
		}
		switch s.raw[s.i] {
		case ']':
			s.i++
			if n > 100 {
				sum = mix(sum, shapeLong) // the only bound on a length there is
			}
			return mix(sum, shapeList)
		case ',':
			s.i++
		default:
			if h := s.value(level); !items.had(h) {
				sum = mix(sum, h)
			}
			n++
		}
	}
}
