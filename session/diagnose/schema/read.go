package schema

import (
	"maps"
	"slices"

	"midwire/session/wire"
)

// Place is a part of a schema as someone reads it who wants to write a value: through
// references, and with what allOf, anyOf and oneOf say. The zero Place allows anything. All
// places of a schema share one budget of steps; when that is used up they allow anything too.
type Place struct {
	r *reading
	n *node
}

type reading struct {
	s     *Schema
	raw   []byte
	steps int
}

const (
	maxReading = 50_000 // steps of reading one schema
	maxSample  = 2_000  // steps of one sample
	maxInside  = 64     // depth of references and combinations, and of a sample
	maxMost    = 1_000  // items and characters that a sample has because it must
)

const anyKind = isNull | isBool | isInteger | isNumber | isString | isArray | isObject

// Read is a schema for reading; the zero Place of one that cannot be read.
func Read(raw []byte) Place {
	s, err := Compile(raw)
	if err != nil {
		return Place{}
	}
	return Place{&reading{s: s, raw: raw}, s.root}
}

// Root is a schema for reading, with a budget of its own.
func (s *Schema) Root() Place { return Place{&reading{s: s}, s.root} }

// Steps is how many steps were made, and whether the budget is used up.
func (p Place) Steps() (n int, over bool) { return p.r.steps, p.r.steps > maxReading }

// in is where a Place is; the zero one in a schema that says nothing.
func (p Place) in() (*reading, *node) {
	if p.n == nil {
		return &reading{s: &Schema{}}, blank()
	}
	return p.r, p.n
}

// more says whether another step may be made.
func (r *reading) more(depth int) bool {
	r.steps++
	return r.steps <= maxReading && depth <= maxInside
}

func (r *reading) kinds(n *node, depth int) kinds {
	if n == nil || !r.more(depth) {
		return anyKind
	}
	k := anyKind
	if n.types != 0 {
		k = n.types
	}
	if n.enumerate {
		listed := kinds(0)
		r.steps += len(n.enum)
		for _, v := range n.enum {
			listed |= kindOf(v)
		}
		k &= listed
	}
	for sub := range r.both(n) {
		k &= r.kinds(sub, depth+1)
	}
	for _, list := range n.forms() {
		some := kinds(0)
		for _, sub := range list {
			some |= r.kinds(sub, depth+1)
		}
		if list != nil {
			k &= some
		}
	}
	return k
}

// forms are the lists of schemas of which one holds.
func (n *node) forms() [2][]*node { return [...][]*node{n.any, n.one} }

// both are the schemas that hold besides one.
func (r *reading) both(n *node) func(yield func(*node) bool) {
	return func(yield func(*node) bool) {
		if n.ref != "" {
			if to, where := r.s.target(n); where == inside && !yield(to) {
				return
			}
		}
		for _, sub := range n.all {
			if !yield(sub) {
				return
			}
		}
	}
}

// Types are the names of the types that a value may have, nil where any will do.
func (p Place) Types() (names []string) {
	r, n := p.in()
	if k := r.kinds(n, 0); k != anyKind {
		k.each(func(name, _ string) { names = append(names, name) })
	}
	return names
}

// Is says whether a value, as wire.Value has it, is of a type that is allowed, and one of
// the choices, where there are any.
func (p Place) Is(v any) bool {
	r, n := p.in()
	k := r.kinds(n, 0)
	if k != 0 && k&kindOf(v) == 0 {
		return false
	}
	choices := p.Choices()
	check := run{s: r.s}
	return choices == nil || slices.ContainsFunc(choices, func(one any) bool { return check.equal(one, v) })
}

// Member is a member of an object; known says that the schema names it, and that is not that
// of all others. Of several forms those count that name it.
func (p Place) Member(name string) (m Place, known bool) {
	r, n := p.in()
	n, known = r.member(n, name, 0)
	if n == nil {
		return Place{}, false
	}
	return Place{r, n}, known
}

func (r *reading) member(n *node, name string, depth int) (found *node, known bool) {
	if !r.more(depth) {
		return nil, false
	}
	var named, others []*node
	take := func(sub *node, known bool) {
		switch {
		case sub == nil:
		case known:
			named = append(named, sub)
		default:
			others = append(others, sub)
		}
	}
	take(n.props[name], true)
	check := run{s: r.s}
	for _, p := range n.patterns {
		if check.match(p.pattern, name) == good {
			take(p.n, true)
		}
	}
	r.steps += len(n.patterns) + check.steps
	if n.additional != nil && n.additional.fixed == unsure {
		take(n.additional, false)
	}
	for sub := range r.both(n) {
		take(r.member(sub, name, depth+1))
	}
	for _, list := range n.forms() {
		either, rest := blank(), blank()
		for _, sub := range list {
			switch m, known := r.member(sub, name, depth+1); {
			case m == nil:
			case known:
				either.any = append(either.any, m)
			default:
				rest.any = append(rest.any, m)
			}
		}
		if either.any != nil {
			take(either, true)
		} else if rest.any != nil {
			take(rest, false)
		}
	}
	known = named != nil
	if !known {
		named = others
	}
	if len(named) < 2 {
		return append(named, nil)[0], known
	}
	found = blank()
	found.all = named
	return found, known
}

// Items is what the items of an array are.
func (p Place) Items() Place {
	r, n := p.in()
	return Place{r, r.items(n, 0)}
}

func (r *reading) items(n *node, depth int) *node {
	if !r.more(depth) {
		return nil
	}
	if n.items != nil {
		return n.items
	}
	for sub := range r.both(n) {
		if found := r.items(sub, depth+1); found != nil {
			return found
		}
	}
	either := blank()
	for _, sub := range slices.Concat(n.any, n.one) {
		if found := r.items(sub, depth+1); found != nil {
			either.any = append(either.any, found)
		}
	}
	if either.any == nil {
		return nil
	}
	return either
}

// Required are the names of the members that an object must have, in every form of it.
func (p Place) Required() []string {
	r, n := p.in()
	return r.required(n, 0)
}

func (r *reading) required(n *node, depth int) []string {
	if !r.more(depth) {
		return nil
	}
	r.steps += len(n.required)
	names := slices.Clone(n.required)
	for sub := range r.both(n) {
		names = append(names, r.required(sub, depth+1)...)
	}
	for _, list := range n.forms() { // what all of several forms require
		count, some := map[string]int{}, []string(nil)
		for _, sub := range list {
			for _, name := range r.required(sub, depth+1) {
				count[name]++
				some = append(some, name)
			}
		}
		names = append(names, slices.DeleteFunc(some, func(name string) bool { return count[name] < len(list) })...)
	}
	return unique(names)
}

func unique(names []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(names, func(name string) bool {
		had := seen[name]
		seen[name] = true
		return had
	})
}

// Members are the names that the schema has for members of an object: those of its root in
// their order, then others.
func (p Place) Members() (names []string) {
	r, n := p.in()
	if n == r.s.root {
		wire.Members(wire.Get(r.raw, "properties"), func(key, _ []byte) bool {
			names = append(names, string(key))
			return true
		})
	}
	return unique(append(names, r.names(n, 0)...))
}

func (r *reading) names(n *node, depth int) (names []string) {
	if !r.more(depth) {
		return nil
	}
	r.steps += len(n.props)
	names = slices.Sorted(maps.Keys(n.props))
	for sub := range r.both(n) {
		names = append(names, r.names(sub, depth+1)...)
	}
	for _, sub := range slices.Concat(n.any, n.one) {
		names = append(names, r.names(sub, depth+1)...)
	}
	return names
}

// Closed says that an object may have no members but those that the schema names.
func (p Place) Closed() bool {
	r, n := p.in()
	closed := func(n *node) bool { return n.additional != nil && n.additional.fixed == bad }
	return slices.ContainsFunc(r.form(n, nil, 0), closed)
}
