package schema

import (
	"cmp"
	"slices"
	"strings"

	"midwire/session/wire"
)

// XHeader marks a property of a tool's input schema that is to be repeated in
// a header (2026-07-28 server/tools: x-mcp-header).
const XHeader = "x-mcp-header"

// Header is one such property.
type Header struct {
	Name string
	Path []string // of the argument
	Bad  string   // why it is not valid, "" when it is
}

const maxHeaders = 64

// Headers finds the properties that are to be repeated in headers, in the order of the
// schema, wherever they stand: those that are valid are of one argument each.
func Headers(schema []byte) []Header {
	var list []Header
	Walk(schema, func(at []string, reachable bool, prop []byte) bool {
		raw := wire.Get(prop, XHeader)
		if raw == nil {
			return true
		}
		h := Header{Name: wire.Said(raw), Path: slices.Clone(at)}
		switch {
		case !isToken(h.Name):
			h.Bad = "is not a valid header name"
		case slices.ContainsFunc(list, func(o Header) bool { return strings.EqualFold(o.Name, h.Name) }):
			h.Bad = "occurs twice"
		case !reachable:
			h.Bad = "is at a place that is no single argument (below items, anyOf, $defs or the like)"
		case !isPlainType(prop):
			h.Bad = "is at a property that is not a string, integer or boolean"
		}
		list = append(list, h)
		return len(list) < maxHeaders
	})
	return list
}

// Walk calls yield with each schema within a schema, until it returns false: where it is,
// and whether it is that of one argument, reached through properties alone.
func Walk(schema []byte, yield func(at []string, reachable bool, schema []byte) bool) {
	walk(schema, nil, true, 0, yield)
}

func walk(schema []byte, at []string, reachable bool, depth int,
	yield func(at []string, reachable bool, schema []byte) bool,
) bool {
	if depth > 32 {
		return true
	}
	more := true
	step := func(at []string, reachable bool, sub []byte) bool {
		more = yield(at, reachable, sub) && walk(sub, at, reachable, depth+1, yield)
		return more
	}
	wire.Each(schema, func(key, value []byte) bool {
		switch k := string(key); k {
		case "properties":
			wire.Each(value, func(name, prop []byte) bool { return step(append(at, string(name)), reachable, prop) })
		case "items", "additionalProperties", "not", "if", "then", "else", "contains":
			step(at, false, value)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			wire.Items(value, func(_ int, sub []byte) bool { return step(at, false, sub) })
		case "$defs", "definitions", "patternProperties":
			wire.Each(value, func(_, sub []byte) bool { return step(at, false, sub) })
		}
		return more
	})
	return more
}

// isPlainType says whether a property holds one string, whole number or
// boolean.
func isPlainType(prop []byte) bool {
	all, raw := kinds(0), wire.Get(prop, "type")
	add := func(_ int, t []byte) bool {
		all |= cmp.Or(kindNamed(wire.Text(t)), anyKind)
		return true
	}
	if !wire.Items(raw, add) { // one of them, or null
		add(0, raw)
	}
	all &^= isNull
	return all == isString || all == isInteger || all == isBool
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
