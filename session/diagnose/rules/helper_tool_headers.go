package rules

import (
	"strings"

	"midwire/session/wire"
	"midwire/session/words"
)

// xHeader marks a property of a tool's input schema that is to be repeated in
// a header (2026-07-28 server/tools: x-mcp-header).
const xHeader = "x-mcp-header"

// toolHeader is one such property.
type toolHeader struct {
	name string
	path []string // of the argument
	bad  string   // why it is not valid, "" when it is
}

const maxToolHeaders = 64

// toolHeaders finds the properties that are to be repeated in headers, in the
// order of the schema, wherever they stand.
func toolHeaders(schema []byte) []toolHeader {
	var list []toolHeader
	names := map[string]bool{}
	walkSchema(schema, nil, true, 0, func(at []string, reachable bool, prop []byte) bool {
		raw := wire.Get(prop, xHeader)
		if raw == nil {
			return true
		}
		h := toolHeader{name: text(raw), path: append([]string(nil), at...)}
		key := words.Fold(h.name)
		switch {
		case !isToken(h.name):
			h.bad = "is not a valid header name"
		case names[key]:
			h.bad = "occurs twice"
		case !reachable:
			h.bad = "is at a place that is no single argument (below items, anyOf, $defs or the like)"
		case !isPlainType(prop):
			h.bad = "is at a property that is not a string, integer or boolean"
		}
		names[key] = true
		list = append(list, h)
		return len(list) < maxToolHeaders
	})
	return list
}

// walkSchema calls yield with each schema within a schema, and whether it is
// that of one argument: reached through properties alone.
func walkSchema(schema []byte, at []string, reachable bool, depth int,
	yield func(at []string, reachable bool, schema []byte) bool,
) bool {
	if depth > 32 {
		return true
	}
	more := true
	wire.Each(schema, func(key, value []byte) bool {
		switch k := string(key); k {
		case "properties":
			wire.Each(value, func(name, prop []byte) bool {
				path := append(at, string(name))
				more = yield(path, reachable, prop) && walkSchema(prop, path, reachable, depth+1, yield)
				return more
			})
		case "items", "additionalProperties", "not", "if", "then", "else", "contains":
			more = yield(at, false, value) && walkSchema(value, at, false, depth+1, yield)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			wire.Items(value, func(_ int, sub []byte) bool {
				more = yield(at, false, sub) && walkSchema(sub, at, false, depth+1, yield)
				return more
			})
		case "$defs", "definitions", "patternProperties":
			wire.Each(value, func(_, sub []byte) bool {
				more = yield(at, false, sub) && walkSchema(sub, at, false, depth+1, yield)
				return more
			})
		}
		return more
	})
	return more
}

// isPlainType says whether a property holds one string, whole number or
// boolean.
func isPlainType(prop []byte) bool {
	raw := wire.Get(prop, "type")
	if wire.IsArray(raw) { // one of them, or null
		ok, n := true, 0
		wire.Items(raw, func(_ int, t []byte) bool {
			switch text(t) {
			case "string", "integer", "boolean":
				n++
			case "null":
			default:
				ok = false
			}
			return ok
		})
		return ok && n == 1
	}
	switch text(raw) {
	case "string", "integer", "boolean":
		return true
	}
	return false
}

// isToken says whether a text can be the name of a header (RFC 9110, 5.6.2).
func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0 {
			continue
		}
		return false
	}
	return s != ""
}
