package wire

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// Each calls yield with every member of a JSON object, in order, until yield
// returns false. key is the name as a peer reads it: without quotes, escapes
// decoded; value is raw JSON. Both share memory with object, but for names with
// escapes. It returns false when object is not a valid JSON object, in which
// case yield may have been called for the members before the fault.
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
		key := memberName(object[from : end+1])
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

// Members is Each for an object that is known to be valid, as the parts of a Message
// are: it is passed over at less cost.
func Members(object []byte, yield func(key, value []byte) bool) {
	i := skipSpace(object, 0)
	if i >= len(object) || object[i] != '{' {
		return
	}
	for i++; i < len(object); {
		switch object[i] {
		case '"':
			end := StringEnd(object, i)
			name := object[i:end]
			from := skipSpace(object, end)
			from = skipSpace(object, from+1) // the colon
			if i = ValueEnd(object, from); i <= from || i > len(object) || !yield(memberName(name), object[from:i]) {
				return
			}
		case '}':
			return
		default: // blanks and commas
			i++
		}
	}
}

// ValueEnd returns the index behind the value that begins at i, or the end of b when
// it continues. b need not be valid.
func ValueEnd(b []byte, i int) int {
	for depth := 0; i < len(b); {
		switch b[i] {
		case '"':
			i = StringEnd(b, i)
		case '{', '[':
			depth++
			i++
			continue
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\r', '\t':
			i++
			continue
		default:
			i = max(BareEnd(b, i), i+1)
		}
		if depth <= 0 {
			return i
		}
	}
	return i
}

// BareEnd returns the index behind the number or word that begins at i.
func BareEnd(b []byte, i int) int {
	for i < len(b) {
		c := b[i]
		if c != '-' && c != '+' && c != '.' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		i++
	}
	return i
}

// memberName is the name of a member, of its JSON string. Escapes are rare, and
// peers read through them: "n\u0061me" is "name".
func memberName(raw []byte) []byte {
	name := raw[1 : len(raw)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		return []byte(Text(raw))
	}
	return name
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
// value, or nil when there is none. Of duplicate members it takes the last, as
// nearly every JSON library does: what a peer reads is what counts.
func Get(value []byte, path ...string) []byte {
	for _, name := range path {
		var found []byte
		Each(value, func(key, v []byte) bool {
			if string(key) == name {
				found = v
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

// StringEnd returns the index behind the JSON string that begins at i, len(b)
// when it does not end. It does not look at what is inside.
func StringEnd(b []byte, i int) int {
	for at := i + 1; at < i+1+32 && at+8 <= len(b); at += 8 { // most strings are short
		if end := quoteOrSlash(b[at:]); end < 8 {
			if b[at+end] == '"' {
				return at + end + 1
			}
			break
		}
	}
	for from := i + 1; from <= len(b); {
		n := bytes.IndexByte(b[from:], '"')
		if n < 0 {
			break
		}
		end := from + n
		slash := end
		for slash > i+1 && b[slash-1] == '\\' {
			slash--
		}
		if (end-slash)%2 == 0 {
			return end + 1
		}
		from = end + 1
	}
	return len(b)
}

// Plain decodes a JSON string, and returns any other value as it is written.
func Plain(raw []byte) string {
	if len(raw) > 0 && raw[0] == '"' {
		return Text(raw)
	}
	return string(raw)
}

// Int reads a JSON number that is a whole one.
func Int(raw []byte) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}
