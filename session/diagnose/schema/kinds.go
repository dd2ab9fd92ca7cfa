package schema

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"midwire/session/words"
)

// kinds is a set of the types of JSON Schema.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBool
	isInteger
	isNumber
	isString
	isArray
	isObject
)

// types are those of JSON Schema, in the order in which one is chosen: their names, and within a
// sentence.
var types = [...]struct {
	kind       kinds
	name, text string
}{
	{isObject, "object", "an object"},
	{isArray, "array", "a list"},
	{isString, "string", "a string"},
	{isNumber | isInteger, "number", "a number"},
	{isInteger, "integer", "a whole number"},
	{isBool, "boolean", "true or false"},
	{isNull, "null", "null"},
}

// kindNamed is the type of that name, 0 for none.
func kindNamed(name string) kinds {
	for _, t := range types {
		if t.name == name {
			return t.kind
		}
	}
	return 0
}

// each calls do with the types that a set is made of.
func (k kinds) each(do func(name, text string)) {
	for _, t := range types {
		if k&t.kind == t.kind {
			do(t.name, t.text)
			k &^= t.kind
		}
	}
}

// kindOf returns what a decoded value is; a whole number is an integer, however
// it is written.
func kindOf(v any) kinds {
	switch v := v.(type) {
	case nil:
		return isNull
	case bool:
		return isBool
	case json.Number:
		if _, ok := whole(v); ok || isWhole(v) {
			return isInteger
		}
		return isNumber
	case string:
		return isString
	case []any:
		return isArray
	}
	return isObject
}

// aKind names what a value is within a sentence.
func aKind(v any) string {
	switch k := kindOf(v); k {
	case isBool:
		return show(v)
	case isInteger, isNumber:
		return "a number"
	default:
		return k.String()
	}
}

// String names what is allowed within a sentence.
func (k kinds) String() string {
	var names []string
	k.each(func(_, text string) { names = append(names, text) })
	return strings.Join(names, ", or ")
}

func whole(n json.Number) (int64, bool) {
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

// isWhole says whether a number that is not written like an integer is one.
func isWhole(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true // too long for 64 bits
	}
	f, err := strconv.ParseFloat(string(n), 64)
	return err == nil && f == math.Trunc(f)
}

// compare returns the order of two numbers. sure is false where their floating
// point values are too near to each other to decide.
func compare(a, b json.Number) (order int, sure bool) {
	x, okX := whole(a)
	y, okY := whole(b)
	if okX && okY {
		return cmp.Compare(x, y), true
	}
	f, errF := strconv.ParseFloat(string(a), 64)
	g, errG := strconv.ParseFloat(string(b), 64)
	if errF != nil || errG != nil || a == b {
		return 0, a == b
	}
	if near := math.Abs(f-g) <= 1e-12*max(math.Abs(f), math.Abs(g)); near {
		return 0, f == g && math.Abs(f) < 1<<53
	}
	if f < g {
		return -1, true
	}
	return 1, true
}

// isMultiple says whether a number is a multiple of another one.
func isMultiple(a, b json.Number) verdict {
	x, okX := whole(a)
	y, okY := whole(b)
	if okX && okY && y != 0 {
		return when(x%y == 0)
	}
	f, errF := strconv.ParseFloat(string(a), 64)
	g, errG := strconv.ParseFloat(string(b), 64)
	if errF != nil || errG != nil || g <= 0 {
		return unsure
	}
	q := f / g
	if math.IsInf(q, 0) || math.Abs(q) > 1e12 {
		return unsure
	}
	return when(math.Abs(q-math.Round(q)) < 1e-9*max(1, math.Abs(q)))
}

// equal compares two values, counting its steps.
func (r *run) equal(a, b any) bool {
	if r.steps++; r.steps > maxSteps {
		return false
	}
	switch x := a.(type) {
	case json.Number:
		y, ok := b.(json.Number)
		if !ok {
			return false
		}
		order, _ := compare(x, y)
		return order == 0
	case []any:
		y, ok := b.([]any)
		return ok && slices.EqualFunc(x, y, r.equal)
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, has := y[k]
			if !has || !r.equal(v, w) {
				return false
			}
		}
		return true
	}
	return kindOf(a) == kindOf(b) && kindOf(b)&(isArray|isObject) == 0 && a == b
}

// show is a value, cut short.
func show(v any) string {
	switch v := v.(type) {
	case string:
		return Quote(v)
	case json.Number:
		return words.Ellipsis(string(v), 40)
	case bool:
		return strconv.FormatBool(v)
	}
	return aKind(v)
}

// Quote shows a text from the wire within a sentence.
func Quote(s string) string { return "“" + words.Ellipsis(s, 60) + "”" }
