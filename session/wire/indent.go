package wire

import (
	"bytes"
	"encoding/json"
)

const (
	maxIndented = 4 << 20 // bytes
	maxIndent   = 64      // levels
)

// Indent lays a JSON value out in lines, the first without prefix. It is false
// for what is no JSON, and for what would become many times longer: values of
// more than 4 MiB, or of more than 64 levels, which have as much indentation in
// every line.
func Indent(raw []byte, prefix string) ([]byte, bool) {
	if len(raw) > maxIndented || depth(raw) > maxIndent {
		return nil, false
	}
	var out bytes.Buffer
	if json.Indent(&out, raw, prefix, "  ") != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// depth is how many levels a JSON value has.
func depth(raw []byte) int {
	most, now := 0, 0
	for i := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			if i = skipString(raw, i, false) - 1; i < 0 {
				return most
			}
		case '{', '[':
			now++
			most = max(most, now)
		case '}', ']':
			now--
		}
	}
	return most
}
