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
func Valid(data []byte) bool {
	var s scanner
	return s.valid(data)
}

// Names are what a scan of a line tells of the names of members in it.
type Names struct {
	Matter *Tails // of the names that may matter

	Known  bool  // all colons of the line stand behind names, none in a string
	Colons []int // those behind names that are not plain, in their order

	count int
}

// maxColons is how many colons a scan keeps. Of a line with more nothing is known.
const maxColons = 256

// see takes the name that ends in front of the quote at i-1.
func (n *Names) see(b []byte, i, colon int) {
	n.count++
	if (i < 9 || i != colon || n.Matter.May(binary.LittleEndian.Uint64(b[i-9:]))) && len(n.Colons) <= maxColons {
		n.Colons = append(n.Colons, colon)
	}
}

// Tails is a set of endings of names: of three letters, each of which is its last five
// bits, whatever its case.
type Tails [1 << 15 / 64]uint64

// May reports whether a name may have an ending of the set. end is its last eight bytes,
// the last one highest. It may also when what it ends with is escaped, or no letter.
func (t *Tails) May(end uint64) bool {
	tail := uint(end>>40&31)<<10 | uint(end>>48&31)<<5 | uint(end>>56&31)
	slash := end ^ ones*'\\'
	return t[tail>>6]>>(tail&63)&1 == 1 || byte(end>>56)|0x20 < 'a' || (slash-ones)&^slash&highs != 0
}

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
	s := scanner{clean: clean, plain: clean && bytes.IndexByte(data, '\\') < 0, names: names}
	value = s.valid(data)
	if names != nil {
		names.Known = value && len(names.Colons) <= maxColons && names.count == bytes.Count(data, colonByte)
	}
	return true, value
}

var colonByte = []byte{':'}

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
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		high |= w
		control |= (w - ones*0x20) &^ w
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

// scanner goes through JSON text.
type scanner struct {
	clean bool // the text has no control characters
	plain bool // and no backslash either
	names *Names
}

// skipValue returns the index behind the value that begins at or after i, or
// -1 when there is no valid one.
func skipValue(b []byte, i int) int { return scanner{}.value(b, i) }

func (s *scanner) valid(b []byte) bool {
	i := s.value(b, 0)
	return i >= 0 && skipSpace(b, i) == len(b)
}

// value is skipValue. It remembers for each open level whether it is an object: one bit
// each, the innermost lowest.
func (s scanner) value(b []byte, i int) int {
	var level uint64
	var outer []uint64 // full words of outer levels: only hostile input gets there
	for depth := 0; ; {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"':
			i = s.text(b, i)
		case c == '{' || c == '[':
			if i = skipSpace(b, i+1); i < len(b) && b[i] == c+2 { // the closing one
				i++
				break
			}
			if depth > 0 && depth%64 == 0 {
				outer = append(outer, level)
			}
			depth++
			level = level<<1 | isObject(c)
			if c == '{' {
				if i = s.key(b, i); i < 0 {
					return -1
				}
			}
			continue
		case c == '-' || c >= '0' && c <= '9':
			i = skipNumber(b, i)
		default:
			i = skipWord(b, i)
		}
		for more := true; more; {
			if i < 0 || depth == 0 {
				return i
			}
			if i = skipSpace(b, i); i >= len(b) {
				return -1
			}
			switch c := b[i]; {
			case c == ',' && level&1 == 0:
				i++
				more = false
			case c == ',':
				if i = s.key(b, i+1); i < 0 {
					return -1
				}
				more = false
			case (c == '}' || c == ']') && isObject(c) == level&1:
				i++
				level >>= 1
				if depth--; depth > 0 && depth%64 == 0 {
					last := len(outer) - 1
					level, outer = outer[last], outer[:last]
				}
			default:
				return -1
			}
		}
	}
}

// isObject is 1 for a brace, 0 for a bracket.
func isObject(c byte) uint64 { return uint64(c >> 5 & 1) }

// key passes a member name and its colon.
func (s *scanner) key(b []byte, i int) int {
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
func (s *scanner) text(b []byte, i int) int {
	if !s.plain {
		return skipString(b, i, s.clean)
	}
	i++
	if i+8 <= len(b) {
		w := binary.LittleEndian.Uint64(b[i:]) ^ ones*'"'
		if w = (w - ones) &^ w & highs; w != 0 {
			return i + bits.TrailingZeros64(w)>>3 + 1
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
func skipKey(b []byte, i int) int {
	var s scanner
	return s.key(b, i)
}

// quoteOrSlash marks the quotes and backslashes among eight bytes. The lowest bit set
// belongs to the first of them; higher ones may be false.
func quoteOrSlash(w uint64) uint64 {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// skipString passes the string that begins at i, eight bytes at a time where
// nothing in them is special. In texts without control characters (clean) only two
// characters are, and where they are rare they are searched for.
func skipString(b []byte, i int, clean bool) int {
	i++
	quote := 0 // the next one, where it was looked for
	for plain := 0; i+8 <= len(b); {
		w := binary.LittleEndian.Uint64(b[i:])
		special := quoteOrSlash(w)
		if !clean {
			special |= (w - ones*0x20) &^ w & highs
		}
		switch {
		case special != 0:
			i += bits.TrailingZeros64(special) >> 3
		case plain < 8 || !clean:
			plain++
			i += 8
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
