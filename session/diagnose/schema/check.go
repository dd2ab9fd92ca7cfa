package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// verdict is whether a value satisfies a schema. unsure counts as yes in the
// end, and makes neither yes nor no of what is built upon it.
type verdict int8

const (
	bad verdict = iota - 1
	unsure
	good
)

func when(ok bool) verdict {
	if ok {
		return good
	}
	return bad
}

// run is one check.
type run struct {
	s      *Schema
	steps  int
	faults []Fault
}

func (r *run) fault(at *path, keyword, text string) verdict {
	p := at.String()
	r.steps += len(p) / 32 // its length is the peer's, and there may be many
	r.faults = append(r.faults, Fault{Path: p, Keyword: keyword, Text: text, depth: at.level()})
	return bad
}

// spent counts steps that are made at once, and says whether there were too many.
func (r *run) spent(n int) bool {
	r.steps += n
	return r.steps > maxSteps
}

// try checks without keeping what is wrong.
func (r *run) try(n *node, v any, at *path, depth int) verdict {
	had := len(r.faults)
	ok := r.check(n, v, at, depth)
	r.faults = r.faults[:had]
	return ok
}

// check says whether a value satisfies a schema, and notes what is wrong.
// Nothing is left out once something is wrong, so that the count of steps does
// not depend on the order of members.
func (r *run) check(n *node, v any, at *path, depth int) verdict {
	if r.steps++; r.steps > maxSteps || depth > maxDepth {
		return unsure
	}
	if n.fixed != unsure {
		if n.fixed == bad {
			return r.fault(at, "false", "is not allowed here")
		}
		return good
	}
	out := good
	if n.odd {
		out = unsure
	}
	kind := kindOf(v)
	if n.types != 0 && n.types&kind == 0 {
		return r.fault(at, "type", "is "+aKind(v)+", and must be "+n.types.String())
	}
	if n.enumerate && !slices.ContainsFunc(n.enum, func(want any) bool { return r.equal(v, want) }) {
		want := oneOf(n.enum)
		out = r.fault(at, "enum", "is "+show(v)+", and must be "+want)
		r.faults[len(r.faults)-1].want = want
	}
	if n.ref != "" {
		if to, where := r.s.target(n); where == inside {
			out = min(out, r.check(to, v, at, depth+1))
		} else {
			out = min(out, unsure)
		}
	}
	switch kind {
	case isObject:
		out = min(out, r.object(n, v.(map[string]any), at, depth+1))
	case isArray:
		out = min(out, r.array(n, v.([]any), at, depth+1))
	case isString:
		out = min(out, r.text(n, v.(string), at))
	case isInteger, isNumber:
		out = min(out, r.number(n, v.(json.Number), at))
	}
	return min(out, r.combined(n, v, at, depth+1))
}

func (r *run) object(n *node, v map[string]any, at *path, depth int) verdict {
	out := good
	if r.spent(len(n.required)) {
		return unsure
	}
	for _, name := range n.required {
		if _, ok := v[name]; ok {
			continue
		}
		if sub := n.props[name]; r.s.Defaults && sub != nil && sub.filled {
			out = min(out, unsure)
			continue
		}
		out = r.fault(at, "required", "lacks "+Quote(name))
		r.faults[len(r.faults)-1].Missing = name
	}
	out = min(out, r.count(at, "Properties", " members", len(v), n.minProps, n.maxProps))
	if n.props != nil || n.patterns != nil || n.additional != nil || n.names != nil {
		for name, value := range v {
			out = min(out, r.member(n, name, value, at, depth))
		}
	}
	for name, others := range n.dependents {
		if r.spent(len(others)) {
			return unsure
		}
		for _, other := range others {
			if _, has := v[name]; !has {
				continue
			}
			if _, has := v[other]; !has {
				out = r.fault(at, "dependentRequired", "has "+Quote(name)+" and lacks "+Quote(other))
			}
		}
	}
	if r.spent(len(n.dependentOn)) {
		return unsure
	}
	for name, sub := range n.dependentOn {
		if _, has := v[name]; has {
			out = min(out, r.check(sub, v, at, depth))
		}
	}
	return out
}

// count compares a number of things with the least and the most that there may be, -1 for any.
func (r *run) count(at *path, key, things string, has, least, most int) (out verdict) {
	out = good
	if has < least {
		out = r.fault(at, "min"+key, "has "+strconv.Itoa(has)+things+", and must have "+strconv.Itoa(least)+" at least")
	}
	if most >= 0 && has > most {
		out = r.fault(at, "max"+key, "has "+strconv.Itoa(has)+things+", and may have "+strconv.Itoa(most)+" at most")
	}
	return out
}

func (r *run) member(n *node, name string, value any, at *path, depth int) verdict {
	out := good
	if r.spent(len(n.patterns)) {
		return unsure
	}
	within := at.member(name)
	sub, known := n.props[name]
	if known {
		out = r.check(sub, value, within, depth)
	}
	for _, p := range n.patterns {
		switch r.match(p.pattern, name) {
		case good:
			known = true
			out = min(out, r.check(p.n, value, within, depth))
		case unsure:
			known, out = true, min(out, unsure)
		}
	}
	if n.names != nil {
		out = min(out, r.check(n.names, name, within, depth))
	}
	if known || n.additional == nil {
		return out
	}
	if n.additional.fixed == bad {
		return r.fault(at, "additionalProperties", "has "+Quote(name)+", which is not among its members")
	}
	return min(out, r.check(n.additional, value, within, depth))
}

func (r *run) array(n *node, v []any, at *path, depth int) verdict {
	out := r.count(at, "Items", " items", len(v), n.minItems, n.maxItems)
	for i, item := range v {
		switch {
		case i < len(n.prefix):
			out = min(out, r.check(n.prefix[i], item, at.item(i), depth))
		case n.items != nil:
			out = min(out, r.check(n.items, item, at.item(i), depth))
		}
	}
	if n.contains != nil {
		out = min(out, r.contains(n, v, at, depth))
	}
	if n.unique {
		out = min(out, r.unique(v, at))
	}
	return out
}

func (r *run) contains(n *node, v []any, at *path, depth int) verdict {
	yes, perhaps := 0, 0
	for i, item := range v {
		switch r.try(n.contains, item, at.item(i), depth) {
		case good:
			yes++
		case unsure:
			perhaps++
		}
	}
	least := max(n.minContains, 0)
	if n.minContains < 0 {
		least = 1
	}
	switch {
	case yes+perhaps < least:
		return r.fault(at, "contains", "has not the item that it must have")
	case n.maxContains >= 0 && yes > n.maxContains:
		return r.fault(at, "maxContains", "has too many items of one kind")
	case yes < least || perhaps > 0 && n.maxContains >= 0:
		return unsure
	}
	return good
}

func (r *run) unique(v []any, at *path) verdict {
	for i := range v {
		for j := range i {
			if r.equal(v[i], v[j]) {
				return r.fault(at, "uniqueItems", "has the same item twice, at "+strconv.Itoa(j)+" and "+strconv.Itoa(i))
			}
			if r.steps > maxSteps {
				return unsure
			}
		}
	}
	return good
}

func (r *run) text(n *node, v string, at *path) verdict {
	out := good
	if n.minLen > 0 || n.maxLen >= 0 {
		out = r.count(at, "Length", " characters", utf8.RuneCountInString(v), n.minLen, n.maxLen)
	}
	if why := n.format.breaks(v); why != "" {
		out = r.fault(at, "format", "is "+Quote(v)+", which "+why)
	}
	if n.pattern != nil {
		switch r.match(n.pattern, v) {
		case bad:
			out = r.fault(at, "pattern", "is "+Quote(v)+", which does not match the pattern "+Quote(n.pattern.re.String()))
		case unsure:
			out = min(out, unsure)
		}
	}
	return out
}

func (r *run) number(n *node, v json.Number, at *path) verdict {
	out := good
	for _, b := range []struct {
		bound json.Number
		key   string
		want  int
		equal bool
		text  string
	}{
		{n.min, "minimum", 1, true, ", and must be at least "},
		{n.max, "maximum", -1, true, ", and may be at most "},
		{n.above, "exclusiveMinimum", 1, false, ", and must be more than "},
		{n.below, "exclusiveMaximum", -1, false, ", and must be less than "},
	} {
		if b.bound == "" {
			continue
		}
		order, sure := compare(v, b.bound)
		switch {
		case !sure:
			out = min(out, unsure)
		case order != b.want && (order != 0 || !b.equal):
			out = r.fault(at, b.key, "is "+show(v)+b.text+show(b.bound))
		}
	}
	if n.multiple != "" {
		switch isMultiple(v, n.multiple) {
		case bad:
			out = r.fault(at, "multipleOf", "is "+show(v)+", and must be a multiple of "+show(n.multiple))
		case unsure:
			out = min(out, unsure)
		}
	}
	return out
}

// oneOf lists values within a sentence.
func oneOf(values []any) string {
	var list []string
	for i, v := range values {
		if i == 8 {
			list = append(list, "another of "+strconv.Itoa(len(values)))
			break
		}
		list = append(list, show(v))
	}
	if len(list) == 0 {
		return "nothing at all"
	}
	return strings.Join(list, " or ")
}
