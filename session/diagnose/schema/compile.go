package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// node is one schema within a schema.
type node struct {
	ptr      string
	fixed    verdict // of a schema that is true or false
	odd      bool    // it says something that is not understood here
	embedded bool    // it lies in a part with an $id of its own
	filled   bool    // it has a default, which is
	usual    any
	example  any
	about    string // its description

	ref    string
	refers *node
	found  place

	types     kinds
	enum      []any // const is an enum of one
	enumerate bool

	required           []string
	props              map[string]*node
	patterns           []patterned
	additional         *node
	names              *node
	minProps, maxProps int
	dependents         map[string][]string
	dependentOn        map[string]*node

	prefix                   []*node
	items, contains          *node
	minContains, maxContains int
	minItems, maxItems       int
	unique                   bool

	minLen, maxLen int
	pattern        *pattern
	format         format // asserted

	min, max, above, below, multiple json.Number

	all, any, one        []*node
	not, when, then, els *node
}

type patterned struct {
	*pattern
	n *node
}

// compile reads the schema at a pointer of the document.
func (s *Schema) compile(v any, ptr string, level int, embedded bool) *node {
	if n := s.nodes[ptr]; n != nil {
		return n
	}
	n := blank()
	n.ptr, n.embedded = ptr, embedded
	// Each pointer repeats those above it, whose names are a peer's.
	if level > maxNested || len(s.nodes) >= maxNodes || len(ptr) > maxPointer {
		n.odd = true
		return n
	}
	s.nodes[ptr] = n
	switch v := v.(type) {
	case bool:
		n.fixed = bad
		if v {
			n.fixed = good
		}
	case map[string]any:
		c := compiler{s: s, n: n, level: level}
		c.object(v)
	default:
		n.odd = true
		s.fault(ptr, "", "is "+aKind(v)+"; a schema is an object, or true or false")
	}
	return n
}

// blank is a schema that says nothing.
func blank() *node {
	return &node{
		minProps: -1, maxProps: -1, minContains: -1, maxContains: -1,
		minItems: -1, maxItems: -1, minLen: -1, maxLen: -1,
	}
}

// seesValues says whether a check by it alone looks at more than kinds, names and counts.
func (n *node) seesValues() bool {
	bounded := n.min != "" || n.max != "" || n.above != "" || n.below != "" || n.multiple != ""
	return bounded || n.enumerate || n.unique ||
		n.pattern != nil || n.format != noFormat || n.minLen > 0 || n.maxLen >= 0
}

// compiler reads one schema.
type compiler struct {
	s     *Schema
	n     *node
	level int
}

func (c *compiler) object(v map[string]any) {
	c.identity(v)
	if c.n.ref != "" && c.s.old {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(v)) {
		c.keyword(key, v[key])
	}
	if _, isList := v["items"].([]any); isList && v["additionalItems"] != nil {
		c.n.items = c.sub("additionalItems", v["additionalItems"])
	}
	if b, ok := v["exclusiveMinimum"].(bool); ok && b { // draft 4
		c.n.above, c.n.min = c.n.min, ""
	}
	if b, ok := v["exclusiveMaximum"].(bool); ok && b {
		c.n.below, c.n.max = c.n.max, ""
	}
}

// identity reads what a schema is called, and what it refers to. Names within
// a part that has an $id of its own are of that part, and not followed here.
func (c *compiler) identity(v map[string]any) {
	if id, ok := v["$id"].(string); ok && id != "" {
		c.called(id)
		c.n.embedded = c.n.embedded || c.n.ptr != ""
	}
	for _, key := range []string{"$anchor", "$dynamicAnchor"} {
		if name, ok := v[key].(string); ok && !c.n.embedded {
			c.called("#" + name)
		}
	}
	switch ref := v["$ref"].(type) {
	case string:
		c.n.ref = ref
		c.s.refs = append(c.s.refs, c.n)
	case nil:
	default:
		c.wrong("$ref", "must be a string")
	}
}

// called notes the name of a schema. One that is there twice means neither.
func (c *compiler) called(name string) {
	if other, ok := c.s.ids[name]; ok && other != c.n {
		c.s.ids[name] = nil
		return
	}
	c.s.ids[name] = c.n
}

func (c *compiler) wrong(key, text string) {
	c.n.odd = true
	c.s.fault(c.n.ptr+"/"+escape(key), key, text)
}

func (c *compiler) keyword(key string, v any) {
	n := c.n
	switch key {
	case "type":
		c.types(v)
	case "enum":
		list, ok := v.([]any)
		if !ok {
			c.wrong(key, "is "+aKind(v)+", and must be a list")
			return
		}
		n.enum, n.enumerate = list, true
	case "const":
		n.enum, n.enumerate = []any{v}, true
	case "properties":
		n.props = c.members(key, v)
	case "required":
		n.required = c.names(key, v)
	case "items":
		c.items(v)
	case "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef":
		n.odd = n.odd || v != true
	case "$defs", "definitions":
		c.members(key, v)
	case "dependencies", "dependentRequired", "dependentSchemas":
		c.dependencies(key, v)
	case "pattern":
		n.pattern = c.pattern(key, v)
	case "patternProperties":
		for re, sub := range c.members(key, v) {
			n.patterns = append(n.patterns, patterned{c.pattern(key, re), sub})
		}
	case "format":
		if name, ok := v.(string); ok && c.s.lenient {
			n.format = formats[name]
		}
	case "default":
		n.filled, n.usual = true, v
	case "examples":
		if list, ok := v.([]any); ok && len(list) > 0 {
			n.example = list[0]
		}
	case "description":
		n.about, _ = v.(string)
	case "uniqueItems":
		n.unique = v == true
	default:
		c.applicator(key, v)
		c.number(key, v)
	}
}

// applicator reads the keywords whose value is a schema, or a list of them.
func (c *compiler) applicator(key string, v any) {
	if at := subs[key]; at != nil {
		*at(c.n) = c.sub(key, v)
	}
	if at := lists[key]; at != nil {
		*at(c.n) = c.list(key, v)
	}
}

// Where the values of keywords are kept: of those that are a schema, a list of
// schemas, a count and a bound.
var (
	subs = map[string]func(*node) **node{
		"additionalProperties": func(n *node) **node { return &n.additional },
		"propertyNames":        func(n *node) **node { return &n.names },
		"contains":             func(n *node) **node { return &n.contains },
		"not":                  func(n *node) **node { return &n.not },
		"if":                   func(n *node) **node { return &n.when },
		"then":                 func(n *node) **node { return &n.then },
		"else":                 func(n *node) **node { return &n.els },
	}
	lists = map[string]func(*node) *[]*node{
		"allOf":       func(n *node) *[]*node { return &n.all },
		"anyOf":       func(n *node) *[]*node { return &n.any },
		"oneOf":       func(n *node) *[]*node { return &n.one },
		"prefixItems": func(n *node) *[]*node { return &n.prefix },
	}
	counts = map[string]func(*node) *int{
		"minProperties": func(n *node) *int { return &n.minProps },
		"maxProperties": func(n *node) *int { return &n.maxProps },
		"minItems":      func(n *node) *int { return &n.minItems },
		"maxItems":      func(n *node) *int { return &n.maxItems },
		"minLength":     func(n *node) *int { return &n.minLen },
		"maxLength":     func(n *node) *int { return &n.maxLen },
		"minContains":   func(n *node) *int { return &n.minContains },
		"maxContains":   func(n *node) *int { return &n.maxContains },
	}
	bounds = map[string]func(*node) *json.Number{
		"minimum":          func(n *node) *json.Number { return &n.min },
		"maximum":          func(n *node) *json.Number { return &n.max },
		"exclusiveMinimum": func(n *node) *json.Number { return &n.above },
		"exclusiveMaximum": func(n *node) *json.Number { return &n.below },
		"multipleOf":       func(n *node) *json.Number { return &n.multiple },
	}
)

func (c *compiler) number(key string, v any) {
	num, isNumber := v.(json.Number)
	if at := counts[key]; at != nil {
		i, ok := whole(num)
		if f, err := num.Float64(); !ok && isNumber && err == nil && isWhole(num) && f < 1<<30 { // like 1.0
			i, ok = int64(f), true
		}
		if !ok || i < 0 {
			c.wrong(key, "must be a whole number, 0 or more")
			return
		}
		*at(c.n) = int(min(i, 1<<30))
	}
	if at := bounds[key]; at != nil {
		if _, isBool := v.(bool); !isNumber && !(isBool && strings.HasPrefix(key, "exclusive")) {
			c.wrong(key, "is "+aKind(v)+", and must be a number")
			return
		}
		*at(c.n) = num
	}
}

func (c *compiler) types(v any) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, t := range list {
		name, isText := t.(string)
		k := kindNamed(name)
		if !isText || k == 0 {
			c.wrong("type", "is "+show(t)+", which is no type of JSON Schema")
			c.n.types = 0
			return
		}
		if k == isInteger && c.s.lenient && !strings.Contains(c.n.ptr, "/ProgressToken") && !strings.Contains(c.n.ptr, "/RequestId") {
			k |= isNumber
		}
		c.n.types |= k
	}
}

func (c *compiler) sub(key string, v any) *node {
	return c.s.compile(v, c.n.ptr+"/"+escape(key), c.level+1, c.n.embedded)
}

func (c *compiler) list(key string, v any) []*node {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		c.wrong(key, "must be a list of schemas, and not empty")
		return nil
	}
	nodes := make([]*node, len(list))
	for i, sub := range list {
		nodes[i] = c.s.compile(sub, c.n.ptr+"/"+key+"/"+strconv.Itoa(i), c.level+1, c.n.embedded)
	}
	return nodes
}

func (c *compiler) members(key string, v any) map[string]*node {
	m, ok := v.(map[string]any)
	if !ok {
		c.wrong(key, "is "+aKind(v)+", and must be an object")
		return nil
	}
	nodes := make(map[string]*node, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		nodes[name] = c.s.compile(m[name], c.n.ptr+"/"+key+"/"+escape(name), c.level+1, c.n.embedded)
	}
	return nodes
}

func (c *compiler) names(key string, v any) []string {
	list, ok := v.([]any)
	if b, isBool := v.(bool); isBool && key == "required" {
		// Draft 3 marked single properties so; later drafts know only lists.
		c.wrong(key, "is "+strconv.FormatBool(b)+", and must be a list of names in the schema of the object")
		return nil
	}
	if !ok {
		c.wrong(key, "is "+aKind(v)+", and must be a list of names")
		return nil
	}
	var names []string
	seen := map[string]bool{}
	for _, item := range list {
		name, isText := item.(string)
		if !isText {
			c.wrong(key, "lists "+aKind(item)+", and must list names")
			return nil
		}
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// items reads the schema of all items, or the list of drafts up to 2019-09.
func (c *compiler) items(v any) {
	if _, isList := v.([]any); isList {
		c.n.prefix = c.list("items", v)
		return
	}
	c.n.items = c.sub("items", v)
}

func (c *compiler) dependencies(key string, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		c.wrong(key, "is "+aKind(v)+", and must be an object")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if _, isList := m[name].([]any); isList && key != "dependentSchemas" {
			if c.n.dependents == nil {
				c.n.dependents = map[string][]string{}
			}
			c.n.dependents[name] = c.names(key, m[name])
			continue
		}
		if c.n.dependentOn == nil {
			c.n.dependentOn = map[string]*node{}
		}
		c.n.dependentOn[name] = c.s.compile(m[name], c.n.ptr+"/"+key+"/"+escape(name), c.level+1, c.n.embedded)
	}
}
