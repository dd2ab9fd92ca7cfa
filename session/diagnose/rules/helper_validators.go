package rules

import (
	"strings"

	"midwire/session/diagnose"
	"midwire/session/diagnose/schema"
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
	schema   *schema.Schema // nil when it is not to be used
	seen     map[uint64][]schema.Fault
	outlined map[uint64][]schema.Fault // by the outline of the message that the value is in
	checks   int
}

const (
	maxValidators = 1024
	maxHeld       = 4 << 20
	maxSeen       = 512        // values a validator remembers
	maxChecks     = 2_000      // checks of one schema; later ones are of new structures only
	maxAllSteps   = 20_000_000 // of a recording
)

// of returns the one for a schema of a tool. input says that it is that of
// arguments.
func (j *validators) of(t *diagnose.Tool, raw []byte, input bool) *validator {
	if one, ok := j.byTool[t]; ok {
		return one
	}
	if j.byTool == nil || len(j.byTool) >= maxValidators {
		j.byTool = map[*diagnose.Tool]*validator{}
	}
	if j.bySchema == nil || len(j.bySchema) >= maxValidators || j.held > maxHeld {
		j.byTool, j.bySchema, j.held = map[*diagnose.Tool]*validator{}, map[uint64]*validator{}, 0
	}
	key := wire.Hash(raw)
	one, ok := j.bySchema[key]
	if !ok {
		one = &validator{seen: map[uint64][]schema.Fault{}}
		if j.steps < maxAllSteps {
			one.compile(raw, input)
		}
		j.held += len(raw)
		j.steps += len(raw) / 10
		j.bySchema[key] = one
	}
	j.byTool[t] = one
	return one
}

func (j *validator) compile(raw []byte, input bool) {
	if s, err := schema.Compile(raw); err == nil && len(s.Faults()) == 0 {
		j.schema, s.Defaults = s, input
	}
}

// check returns what is wrong with a value; nil when nothing is, or when that is
// not known.
func (j *validators) check(t *diagnose.Tool, raw, value []byte, input bool) []schema.Fault {
	return j.of(t, raw, input).check(j, value)
}

// checkPart is check of a value that is a part of the message in hand. It looks at new
// structures only, which two messages of one outline share, where the schema can tell no
// more, or when many were checked.
func (j *validators) checkPart(c *diagnose.Case, t *diagnose.Tool, raw, value []byte, input bool) []schema.Fault {
	one := j.of(t, raw, input)
	o := c.Outline()
	if o == nil || one.checks < maxChecks && one.schema != nil && one.schema.SeesValues() {
		return one.check(j, value)
	}
	faults, ok := one.outlined[o.Hash]
	if !ok {
		if faults = one.check(j, value); len(one.outlined) < maxSeen {
			made(&one.outlined)[o.Hash] = faults
		}
	}
	return faults
}

func (one *validator) check(j *validators, value []byte) []schema.Fault {
	if one.schema == nil || len(value) > diagnose.MaxParams {
		return nil
	}
	key := wire.Hash(value)
	if faults, ok := one.seen[key]; ok {
		return faults
	}
	if j.steps >= maxAllSteps || one.checks >= 2*maxChecks {
		return nil
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
