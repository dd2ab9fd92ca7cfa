package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Sample is a value that the schema allows, as far as that is easily said. It takes no more
// than a bounded number of steps, and has no more members.
func (p Place) Sample() any {
	r, n := p.in()
	left := maxSample
	return r.sample(n, &left, 0)
}

func (r *reading) sample(n *node, left *int, depth int) any {
	if *left--; n == nil || *left < 0 || depth > maxInside {
		return "a"
	}
	form := r.form(n, nil, 0)
	for _, n := range form {
		switch {
		case n.filled:
			return spend(n.usual, left)
		case n.enumerate && len(n.enum) > 0:
			return spend(n.enum[0], left)
		case n.example != nil:
			return spend(n.example, left)
		}
	}
	k := r.kinds(n, 0)
	for _, one := range form {
		if one.types != 0 && one.types&k != 0 { // what a form says is the nearest
			k &= one.types
			break
		}
	}
	switch {
	case k == anyKind, k == 0:
		if len(r.required(n, 0)) == 0 {
			return "a"
		}
		return r.sampleObject(n, form, left, depth)
	case k&isObject != 0:
		return r.sampleObject(n, form, left, depth)
	case k&isArray != 0:
		return r.sampleList(n, form, left, depth)
	case k&isString != 0:
		return strings.Repeat("a", max(1, least(form, func(n *node) int { return n.minLen })))
	case k&(isInteger|isNumber) != 0:
		return sampleNumber(form)
	case k&isBool != 0:
		return false
	}
	return nil
}

// spend is a value that the schema has; one that is long is not repeated often.
func spend(v any, left *int) any {
	raw, _ := json.Marshal(v) // of decoded JSON
	*left -= len(raw) / 64
	return v
}

// least is the greatest of the lower bounds of a form.
func least(form []*node, of func(*node) int) (most int) {
	for _, n := range form {
		most = max(most, of(n))
	}
	return min(most, maxMost)
}

func sampleNumber(form []*node) any {
	for _, n := range form {
		if n.min != "" {
			return n.min
		}
		if i, ok := whole(n.above); ok && i < 1<<53 {
			return json.Number(strconv.FormatInt(i+1, 10))
		}
		if i, ok := whole(n.max); ok && i < 1 {
			return n.max
		}
		if i, ok := whole(n.below); ok && i <= 1 && i > -1<<53 {
			return json.Number(strconv.FormatInt(i-1, 10))
		}
	}
	return json.Number("1")
}

func (r *reading) sampleList(n *node, form []*node, left *int, depth int) any {
	list := []any{}
	for len(list) < least(form, func(n *node) int { return n.minItems }) && *left > 0 {
		sub := r.items(n, 0)
		if prefix := form[0].prefix; len(list) < len(prefix) {
			sub = prefix[len(list)]
		}
		list = append(list, r.sample(sub, left, depth+1))
	}
	return list
}

func (r *reading) sampleObject(n *node, form []*node, left *int, depth int) any {
	object := map[string]any{}
	for _, one := range form {
		for _, name := range one.required {
			if _, have := object[name]; have || *left <= 0 {
				continue
			}
			member, _ := r.member(n, name, 0)
			object[name] = r.sample(member, left, depth+1)
		}
	}
	return object
}

// Choices are the values that are allowed, nil where they are not listed.
func (p Place) Choices() []any {
	r, n := p.in()
	return r.choices(n, 0)
}

func (r *reading) choices(n *node, depth int) []any {
	if !r.more(depth) {
		return nil
	}
	if n.enumerate {
		r.steps += len(n.enum)
		return n.enum
	}
	for sub := range r.both(n) {
		if found := r.choices(sub, depth+1); found != nil {
			return found
		}
	}
	var all []any
	for _, sub := range slices.Concat(n.any, n.one) {
		some := r.choices(sub, depth+1)
		if some == nil && r.kinds(sub, depth+1) == isNull {
			some = []any{nil}
		}
		if some == nil {
			return nil
		}
		all = append(all, some...)
	}
	return all
}

// Default is the value of what is left out, as JSON; nil for none.
func (p Place) Default() []byte {
	r, n := p.in()
	for _, n := range r.form(n, nil, 0) {
		if n.filled {
			raw, _ := json.Marshal(n.usual)
			return raw
		}
	}
	return nil
}

// About is how the schema describes it, "" for not at all. It is the peer's.
func (p Place) About() string {
	r, n := p.in()
	for _, n := range r.form(n, nil, 0) {
		if n.about != "" {
			return n.about
		}
	}
	return ""
}

// form adds the schemas that hold together for one value: of several forms the first that is
// more than null.
func (r *reading) form(n *node, all []*node, depth int) []*node {
	if !r.more(depth) {
		return all
	}
	all = append(all, n)
	for sub := range r.both(n) {
		all = r.form(sub, all, depth+1)
	}
	for _, list := range n.forms() {
		i := slices.IndexFunc(list, func(sub *node) bool { return r.kinds(sub, depth+1)&^isNull != 0 })
		if i = max(i, 0); i < len(list) {
			all = r.form(list[i], all, depth+1)
		}
	}
	return all
}
