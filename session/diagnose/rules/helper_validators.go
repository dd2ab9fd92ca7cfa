package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
)

// validators check values against the schemas of tools, those of arguments or those
// of results: each rule has its own. What they remember and how
// long they work in all is bounded: a recording may be as hostile as a server.
type validators struct {
	byTool   map[*diagnose.Tool]*validator
	bySchema map[uint64]*validator
	held     int // bytes of the schemas that are remembered
	steps    int
}

// validator checks values against one schema.
type validator struct {
	schema *schema.Schema            // nil when it is not to be used
	seen   map[uint64][]schema.Fault // by value, or by the outline of the message that it is in
	checks int
}

const (
	maxValidators = 1024
	maxHeld       = 4 << 20
	maxSeen       = 512        // values a validator remembers
	maxChecks     = 2_000      // checks of one schema; later ones are of new structures only
	maxAllSteps   = 20_000_000 // of a recording
)

// of returns the one for the arguments, the input, or the results of a tool.
func (j *validators) of(t *diagnose.Tool, input bool) *validator {
	if one, ok := j.byTool[t]; ok {
		return one
	}
	raw := t.Output
	if input {
		raw = t.Input
	}
	if len(j.byTool) >= maxValidators || len(j.bySchema) >= maxValidators || j.held > maxHeld {
		j.byTool, j.bySchema, j.held = nil, nil, 0
	}
	key := wire.Hash(raw)
	one := j.bySchema[key]
	if one == nil {
		one = &validator{seen: map[uint64][]schema.Fault{}}
		if s, err := schema.Compile(raw); j.steps < maxAllSteps && err == nil && len(s.Faults()) == 0 {
			one.schema, s.Defaults = s, input
		}
		j.held += len(raw)
		j.steps += len(raw) / 10
		made(&j.bySchema)[key] = one
	}
	made(&j.byTool)[t] = one
	return one
}

// unlisted is an argument that the inputSchema of a tool does not name and that is meant, "" for
// none, or where that is not known.
func (j *validators) unlisted(t *diagnose.Tool, args []byte, meant func(name string) bool) (name string) {
	one := j.of(t, true)
	if one.schema == nil || j.steps >= maxAllSteps {
		return ""
	}
	root := one.schema.Root()
	wire.Each(args, func(member, _ []byte) bool {
		if _, known := root.Member(string(member)); !known && meant(string(member)) {
			name = string(member)
		}
		_, over := root.Steps()
		return name == "" && !over
	})
	steps, over := root.Steps()
	if j.steps += steps; over {
		return ""
	}
	return name
}

// check returns what is wrong with a value, which is a part of a message of that outline, nil for
// none; nil when nothing is, or when that is not known. Where the schema can tell no more, or
// when many were checked, it looks once at what two messages of one outline share.
func (j *validators) check(o *outline.Outline, t *diagnose.Tool, input bool, value []byte) []schema.Fault {
	one := j.of(t, input)
	if one.schema == nil || len(value) > diagnose.MaxParams {
		return nil
	}
	var key uint64
	if o != nil && (one.checks >= maxChecks || !one.schema.SeesValues()) {
		key = ^o.Hash
	} else {
		key = wire.Hash(value)
	}
	faults, ok := one.seen[key]
	if ok || j.steps >= maxAllSteps || one.checks >= 2*maxChecks {
		return faults
	}
	faults, steps := one.schema.Check(value)
	j.steps += steps
	if one.checks++; len(one.seen) >= maxSeen {
		clear(one.seen)
	}
	one.seen[key] = faults
	return faults
}

func placed(what string, f *schema.Fault) string { return what + f.Path + " " + f.Text }

// place is the JSON Pointer to what a fault is about, within what base points to:
// the member that is wrong, or that is not there.
func place(base string, f *schema.Fault) string {
	if f.Missing == "" {
		return base + f.Path
	}
	return base + f.Path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(f.Missing)
}

// problem is what is wrong with the definition of a tool.
type problem struct {
	severity diagnose.Severity
	key      string // what is the same about several of them
	text     string // to follow on the name of the tool
	place    string // JSON Pointer into the definition
}

// definitions are those that were looked at, by hash.
type definitions struct {
	seen map[uint64][]problem
	read int // bytes
}

const (
	maxDefinitions = 4096
	maxRead        = 64 << 20 // bytes of definitions; then it is enough
	maxFlaws       = 4        // of one tool
)

func (d *definitions) of(tool []byte, version mcp.Version) []problem {
	key := wire.Hash(tool) ^ wire.Hash([]byte(version))
	if flaws, ok := d.seen[key]; ok {
		return flaws
	}
	if d.read += len(tool); d.read > maxRead {
		return nil
	}
	if d.seen == nil || len(d.seen) >= maxDefinitions {
		d.seen = map[uint64][]problem{}
	}
	flaws := inputFlaws(wire.Get(tool, "inputSchema"))
	if out := wire.Get(tool, "outputSchema"); out != nil && version >= mcp.V20250618 {
		flaws = append(flaws, outputFlaws(out, version)...)
	}
	flaws = flaws[:min(len(flaws), maxFlaws)]
	d.seen[key] = flaws
	return flaws
}

func inputFlaws(raw []byte) []problem {
	switch {
	case raw == nil:
		return []problem{{diagnose.Error, "missing", "has no inputSchema", "/inputSchema"}}
	case raw[0] != '{':
		return []problem{{diagnose.Error, "no object", "has an inputSchema that is " + quoteJSON(raw) + " and must be an object", "/inputSchema"}}
	}
	var flaws []problem
	switch kind := wire.Get(raw, "type"); {
	case kind == nil:
		flaws = append(flaws, problem{diagnose.Error, "no type", "has an inputSchema without \"type\":\"object\" at its root", "/inputSchema/type"})
	case text(kind) != "object":
		flaws = append(flaws, problem{diagnose.Error, "root type", "has an inputSchema whose type at the root is " + quoteJSON(kind) + " and must be “object”", "/inputSchema/type"})
	}
	flaws = append(flaws, schemaFlaws("inputSchema", raw)...)
	if len(flaws) > 0 {
		return flaws
	}
	return pickyFlaws(raw)
}

func outputFlaws(raw []byte, version mcp.Version) []problem {
	switch {
	case raw[0] != '{':
		return []problem{{diagnose.Error, "output", "has an outputSchema that is " + quoteJSON(raw) + " and must be an object", "/outputSchema"}}
	case !version.IsModern() && text(wire.Get(raw, "type")) != "object":
		return []problem{{diagnose.Error, "output type", "has an outputSchema whose root is not of the type “object”", "/outputSchema/type"}}
	}
	return schemaFlaws("outputSchema", raw)
}

func schemaFlaws(what string, raw []byte) []problem {
	s, err := schema.Compile(raw)
	if err == schema.ErrTooLarge {
		return []problem{{diagnose.Note, what + " large", "has an " + what + " of more than a megabyte, which midwire did not check", "/" + what}}
	}
	if err != nil {
		return nil
	}
	var flaws []problem
	for _, f := range s.Faults() {
		if len(flaws) == maxFlaws {
			break
		}
		said := "has an " + what + " that is not a valid schema:  " + placed(what, &f)
		flaws = append(flaws, problem{diagnose.Error, what + f.Keyword, said, place("/"+what, &f)})
	}
	if list := s.External(); len(list) > 0 && len(flaws) == 0 {
		flaws = append(flaws, problem{diagnose.Note, what + " outside", "has an " + what + " that refers to " + quote(list[0]) + ", which clients do not load", "/" + what})
	}
	return flaws
}

// pickyFlaws are what is valid, and refused by the interfaces of well-known
// models anyway.
func pickyFlaws(raw []byte) []problem {
	var flaws []problem
	for _, key := range []string{"anyOf", "oneOf"} { // allOf is harmless to most
		if wire.Get(raw, key) != nil {
			flaws = append(flaws, problem{diagnose.Note, "root choice", "has an inputSchema with " + key + " at its root, which some model interfaces refuse", "/inputSchema/" + key})
			break
		}
	}
	schema.Walk(raw, func(at []string, reachable bool, sub []byte) bool {
		where := strings.Join(at, ".")
		if reachable && len(at) > 0 && !isPlainName(at[len(at)-1]) && len(flaws) < maxFlaws {
			flaws = append(flaws, problem{diagnose.Note, "argument name", "has an argument named " + quote(where) + ", which some model interfaces refuse: letters, digits, _, - and . are safe", ""})
		}
		if text(wire.Get(sub, "type")) == "array" && wire.Get(sub, "items") == nil && wire.Get(sub, "prefixItems") == nil && wire.Get(sub, "$ref") == nil {
			flaws = append(flaws, problem{diagnose.Note, "array without items", "has the list " + quote(where) + " without items in its inputSchema, which some model interfaces refuse", ""})
		}
		return len(flaws) < maxFlaws
	})
	return flaws
}

// isPlainName says whether a name of an argument is one that no interface of a
// model refuses.
func isPlainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isWordByte(c) && c != '.' && c != '-' {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

func isWordByte(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '_'
}
