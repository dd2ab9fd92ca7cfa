package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// The scanner below exists because every byte of traffic passes it while the
// traffic flows: it takes about a fifth of the time of encoding/json, and it
// never fails on what encoding/json refuses to decode.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Valid reports whether data is exactly one JSON value (RFC 8259), with white
// space around it allowed. It does not check that strings are valid UTF-8.
func Valid(data []byte) bool { return new(nest).valid(data) }

// ValidLine reports whether data is valid UTF-8, and whether it is in addition one
// JSON value, as Valid says, on a single line.
func ValidLine(data []byte) (text, value bool) { return ScanLine(data, nil) }

// ScanLine is ValidLine, and sets what is known of the names in the line. names may be nil.
func ScanLine(data []byte, names *Names) (text, value bool) {
	if names != nil {
		names.Known, names.Colons, names.count = false, names.Colons[:0], 0
	}
	ascii, clean := textOf(data)
	if !ascii && !utf8.Valid(data) {
		return false, false
	}
	if !clean && (bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0) {
		return true, false
	}
	s := nest{clean: clean, plain: clean && bytes.IndexByte(data, '\\') < 0, names: names}
	value = s.valid(data)
	if names != nil {
		names.Known = value && len(names.Colons) <= maxColons && names.count == bytes.Count(data, []byte{':'})
	}
	return true, value
}

// IsASCII reports whether all bytes are ASCII.
func IsASCII(data []byte) bool {
	ascii, _ := textOf(data)
	return ascii
}

// textOf reports whether all bytes are ASCII, and whether none is a control
// character.
func textOf(b []byte) (ascii, clean bool) {
	var high, control uint64
	for len(b) >= 32 {
		w := [4]uint64{
			binary.LittleEndian.Uint64(b),
			binary.LittleEndian.Uint64(b[8:]),
			binary.LittleEndian.Uint64(b[16:]),
			binary.LittleEndian.Uint64(b[24:]),
		}
		high |= w[0] | w[1] | w[2] | w[3]
		control |= (w[0]-ones*0x20)&^w[0] | (w[1]-ones*0x20)&^w[1] | (w[2]-ones*0x20)&^w[2] | (w[3]-ones*0x20)&^w[3]
		b = b[32:]
	}
	for _, c := range b {
		high |= uint64(c)
		control |= (uint64(c) - 0x20) &^ uint64(c)
	}
	return high&highs == 0, control&highs == 0
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && b[i] <= ' ' && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// nest remembers for each open level whether it is an object: one bit each,
// the innermost lowest.
type nest struct {
	clean bool // the text has no control characters
	plain bool // and no backslash either
	names *Names
	bits  uint64
	depth int
	outer []uint64 // full words of outer levels: only hostile input gets there
}

func (s *nest) push(object uint64) {
	if s.depth > 0 && s.depth%64 == 0 {
		s.outer = append(s.outer, s.bits)
	}
	s.bits = s.bits<<1 | object
	s.depth++
}

func (s *nest) pop() {
	s.depth--
	s.bits >>= 1
	if s.depth > 0 && s.depth%64 == 0 {
		last := len(s.outer) - 1
		s.bits, s.outer = s.outer[last], s.outer[:last]
	}
}

// skipValue returns the index behind the value that begins at or after i, or
// -1 when there is no valid one.
func skipValue(b []byte, i int) int { return new(nest).value(b, i) }

func (s *nest) valid(b []byte) bool {
	i := s.value(b, 0)
	return i >= 0 && skipSpace(b, i) == len(b)
}

func (s *nest) value(b []byte, i int) int {
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"':
			i = s.text(b, i)
		case c == '{' || c == '[':
			var inside bool
			if i, inside = s.open(b, i); inside {
				continue
			}
		case c == '-' || c >= '0' && c <= '9':
			i = skipNumber(b, i)
		default:
			i = skipWord(b, i)
		}
		if i < 0 || s.depth == 0 {
			return i
		}
		if i = s.next(b, i); i < 0 || s.depth == 0 {
			return i
		}
	}
}

// open enters an object or array. inside says that a value must follow at the
// index returned; otherwise it was empty and is closed again, or broken.
func (s *nest) open(b []byte, i int) (at int, inside bool) {
	object, closing := uint64(0), byte(']')
	if b[i] == '{' {
		object, closing = 1, '}'
	}
	if i = skipSpace(b, i+1); i >= len(b) {
		return -1, false
	}
	if b[i] == closing {
		return i + 1, false
	}
	s.push(object)
	if object == 1 {
		i = s.key(b, i)
	}
	return i, i >= 0
}

// next continues behind a value until the next one must begin, or the outermost
// level is closed.
func (s *nest) next(b []byte, i int) int {
	for s.depth > 0 {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		object := s.bits&1 == 1
		switch c := b[i]; {
		case c == ',' && object:
			return s.key(b, i+1)
		case c == ',':
			return i + 1
		case c == '}' && object, c == ']' && !object:
			s.pop()
			i++
		default:
			return -1
		}
	}
	return i
}

// key passes a member name and its colon.
func (s *nest) key(b []byte, i int) int {
	if i = skipSpace(b, i); i >= len(b) || b[i] != '"' {
		return -1
	}
	end := s.text(b, i)
	if end < 0 {
		return -1
	}
	if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
		return -1
	}
	if s.names != nil {
		s.names.see(b, end, i)
	}
	return i + 1
}

// text passes the string that begins at i.
func (s *nest) text(b []byte, i int) int {
	if !s.plain {
		return skipString(b, i, s.clean)
	}
	i++
	if i+8 <= len(b) {
		if end := quoteOrSlash(b[i:]); end < 8 {
			return i + end + 1
		}
		i += 8
	}
	n := bytes.IndexByte(b[i:], '"')
	if n < 0 {
		return -1
	}
	return i + n + 1
}

// skipKey passes a member name and its colon.
func skipKey(b []byte, i int) int { return new(nest).key(b, i) }

// specials marks the bytes of a word that end a string or may not stand in
// one: quotes, backslashes, control characters. The lowest bit set belongs to
// the first of them; higher ones may be false.
func specials(b []byte) uint64 {
	w := binary.LittleEndian.Uint64(b)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

// quoteOrSlash is where the first quote or backslash is among eight bytes, 8 when
// there is none.
func quoteOrSlash(b []byte) int {
	w := binary.LittleEndian.Uint64(b)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return bits.TrailingZeros64(((quote-ones)&^quote|(slash-ones)&^slash)&highs) >> 3
}

// skipString passes the string that begins at i, eight bytes at a time where
// nothing in them is special, and in long texts 32. One without control
// characters (clean) is searched for the two characters that are left, which is
// faster.
func skipString(b []byte, i int, clean bool) int {
	i++
	quote := 0 // the next one, where it was looked for
	for plain := 0; i+8 <= len(b); {
		special := specials(b[i:])
		switch {
		case special != 0:
			i += bits.TrailingZeros64(special) >> 3
		case plain < 8:
			plain++
			i += 8
			continue
		case !clean:
			for i += 8; i+32 <= len(b); i += 32 {
				next := b[i : i+32]
				if specials(next)|specials(next[8:])|specials(next[16:])|specials(next[24:]) != 0 {
					break
				}
			}
			continue
		default:
			if quote < i {
				if quote = bytes.IndexByte(b[i:], '"'); quote < 0 {
					return -1
				}
				quote += i
			}
			n := bytes.IndexByte(b[i:quote], '\\')
			if n < 0 {
				return quote + 1
			}
			i += n
		}
		plain = 0
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c != '\\':
			return -1
		case i+1 < len(b) && (b[i+1] == 'n' || b[i+1] == '"'): // most are
			i += 2
		default:
			if i = skipEscape(b, i); i < 0 {
				return -1
			}
		}
	}
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i = skipEscape(b, i); i < 0 {
				return -1
			}
		case c < 0x20:
			return -1
		default:
			i++
		}
	}
	return -1
}

func skipEscape(b []byte, i int) int {
	if i+1 >= len(b) {
		return -1
	}
	switch b[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2
	case 'u':
		if i+6 > len(b) {
			return -1
		}
		for _, c := range b[i+2 : i+6] {
			if c|0x20 < 'a' && (c < '0' || c > '9') || c|0x20 > 'f' {
				return -1
			}
		}
		return i + 6
	}
	return -1
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

func skipNumber(b []byte, i int) int {
	if b[i] == '-' {
		i++
	}
	from := i
	if i = skipDigits(b, i); i == from || b[from] == '0' && i > from+1 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		from = i + 1
		if i = skipDigits(b, from); i == from {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from = i
		if i = skipDigits(b, i); i == from {
			return -1
		}
	}
	return i
}

func skipWord(b []byte, i int) int {
	for _, w := range [...]string{"true", "false", "null"} {
		if len(b)-i >= len(w) && string(b[i:i+len(w)]) == w {
			return i + len(w)
		}
	}
	return -1
}
