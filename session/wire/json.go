package wire

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"strconv"
)

// The scanner below exists because every byte of traffic passes it while the
// traffic flows: it takes about a fifth of the time of encoding/json, and it
// never fails on what encoding/json refuses to decode.

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// Valid says whether data is exactly one JSON value (RFC 8259), with white
// space around it allowed. It does not check that strings are valid UTF-8.
func Valid(data []byte) bool {
	i := skipValue(data, 0)
	return i >= 0 && skipSpace(data, i) == len(data)
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// nest remembers for each open level whether it is an object: one bit each,
// the innermost lowest.
type nest struct {
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
func skipValue(b []byte, i int) int {
	var s nest
	for {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch c := b[i]; {
		case c == '"':
			i = skipString(b, i)
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
		i = skipKey(b, i)
	}
	return i, i >= 0
}

// next goes on behind a value until the next one must begin, or the outermost
// level is closed.
func (s *nest) next(b []byte, i int) int {
	for s.depth > 0 {
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		object := s.bits&1 == 1
		switch c := b[i]; {
		case c == ',' && object:
			return skipKey(b, i+1)
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

// skipKey passes a member name and its colon.
func skipKey(b []byte, i int) int {
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = skipString(b, i); i < 0 {
		return -1
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return -1
	}
	return i + 1
}

// specials marks the bytes of a word that end a string or may not stand in
// one: quotes, backslashes, control characters. The lowest bit set belongs to
// the first of them; higher ones may be false.
func specials(b []byte) uint64 {
	w := binary.LittleEndian.Uint64(b)
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & highs
}

// skipString passes the string that begins at i, eight bytes at a time where
// nothing in them is special, and in long texts 32.
func skipString(b []byte, i int) int {
	i++
	for i+8 <= len(b) {
		special := specials(b[i:])
		if special == 0 {
			for i += 8; i+32 <= len(b); i += 32 {
				next := b[i : i+32]
				if specials(next)|specials(next[8:])|specials(next[16:])|specials(next[24:]) != 0 {
					break
				}
			}
			continue
		}
		i += bits.TrailingZeros64(special) >> 3
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = skipEscape(b, i); i < 0 {
				return -1
			}
		default:
			return -1
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

// Each calls yield with every member of a JSON object, in order, until yield
// returns false. key is as written, without quotes, escapes not decoded; value
// is raw JSON; both share memory with object. It returns false when object is
// not a valid JSON object, in which case yield may have been called for the
// members before the fault.
func Each(object []byte, yield func(key, value []byte) bool) bool {
	i := skipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return false
	}
	if i = skipSpace(object, i+1); i < len(object) && object[i] == '}' {
		return skipSpace(object, i+1) == len(object)
	}
	for {
		from := skipSpace(object, i)
		colon := skipKey(object, i)
		if colon < 0 {
			return false
		}
		end := colon - 2 // the quote, unless there are blanks before the colon
		for object[end] != '"' {
			end--
		}
		key := object[from+1 : end]
		from = skipSpace(object, colon)
		if i = skipValue(object, from); i < 0 {
			return false
		}
		if !yield(key, object[from:i]) {
			return true
		}
		if i = skipSpace(object, i); i >= len(object) {
			return false
		}
		if object[i] == '}' {
			return skipSpace(object, i+1) == len(object)
		}
		if object[i] != ',' {
			return false
		}
		i++
	}
}

// Items calls yield with every element of a JSON array, in order, until yield
// returns false. It returns false when array is not a valid JSON array.
func Items(array []byte, yield func(i int, value []byte) bool) bool {
	i := skipSpace(array, 0)
	if i >= len(array) || array[i] != '[' {
		return false
	}
	if i = skipSpace(array, i+1); i < len(array) && array[i] == ']' {
		return skipSpace(array, i+1) == len(array)
	}
	for n := 0; ; n++ {
		from := skipSpace(array, i)
		if i = skipValue(array, from); i < 0 {
			return false
		}
		if !yield(n, array[from:i]) {
			return true
		}
		if i = skipSpace(array, i); i >= len(array) {
			return false
		}
		if array[i] == ']' {
			return skipSpace(array, i+1) == len(array)
		}
		if array[i] != ',' {
			return false
		}
		i++
	}
}

// Get returns the raw JSON of a member of nested objects, sharing memory with
// value, or nil when there is none. Of duplicate members it takes the first.
func Get(value []byte, path ...string) []byte {
	for _, name := range path {
		var found []byte
		Each(value, func(key, v []byte) bool {
			if string(key) == name {
				found = v
				return false
			}
			return true
		})
		if found == nil {
			return nil
		}
		value = found
	}
	return value
}

// Text decodes a JSON string; anything else gives "".
func Text(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if in := raw[1 : len(raw)-1]; bytes.IndexByte(in, '\\') < 0 {
		return string(in)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// Int reads a JSON number that is a whole one.
func Int(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
