// Package schema checks JSON values against JSON Schemas: those that tools
// declare, and those of the protocol itself.
//
// A schema from the wire is hostile until proven otherwise. Nothing outside of
// it is ever loaded, every check has a budget of steps, and what cannot be
// decided counts as valid: a keyword that is not understood, a reference that
// leads outside, a budget that ran out.
//
// It is written here, and not taken from a library, because the libraries at
// hand compile their meta-schemas when the program starts, or recurse without
// end on a schema that refers to itself, or find another fault each time.
package schema

import (
	"errors"
	"strings"

	"midwire/session/wire"
)

// Limits of what is looked at.
const (
	MaxSchema  = 1 << 20 // bytes of a schema
	MaxValue   = 4 << 20 // bytes of a value
	maxNodes   = 20_000  // subschemas of a schema
	maxNested  = 128     // depth of a schema
	maxDepth   = 512     // depth of a check, references included
	maxPointer = 2 << 10 // bytes of a pointer to a subschema
	maxPath    = 1 << 10 // bytes of the path in a fault
	maxSteps   = 200_000 // of one check
	maxFaults  = 16      // of one check, and of one schema
)

// Fault is one thing that is wrong with a value, or with a schema.
type Fault struct {
	Path    string // JSON pointer to it, "" for the whole
	Keyword string // of the schema that it breaks
	Text    string // what is wrong, to follow on the name of the thing: `lacks "name"`
	Missing string // the member that is not there, of "required"
	depth   int
	want    string // what it must be, where that is a word
}

// Schema is a schema that was read. One goroutine at a time may use it.
type Schema struct {
	// Defaults says that a member which has a default need not be there, even
	// where it is required: libraries that make schemas from code describe the
	// values after the defaults were filled in.
	Defaults bool

	doc   any
	root  *node
	nodes map[string]*node // by JSON pointer
	ids   map[string]*node // by $id and #anchor
	refs  []*node          // that refer to others
	old   bool             // a draft in which $ref hides what stands beside it
	// Whole numbers may be any. The schemas of the protocol are made from
	// TypeScript, which knows only numbers, and say integer for many of them:
	// by their letter not even the response to a form may hold a fraction.
	lenient  bool
	patterns int  // weight of all patterns
	values   bool // one of its nodes sees values
	faults   []Fault
	external []string
}

// ErrTooLarge is what Compile returns for a schema beyond MaxSchema.
var ErrTooLarge = errors.New("the schema is too large to be looked at")

// Compile reads a schema. The error says that it is no JSON or too large; what
// else is wrong with it is in Faults.
func Compile(raw []byte) (*Schema, error) {
	s, err := read(raw)
	if err != nil {
		return nil, err
	}
	s.root = s.compile(s.doc, "", 0, false)
	for i := 0; i < len(s.refs); i++ { // what is found may hold more of them
		n := s.refs[i]
		switch _, where := s.target(n); where {
		case nowhere:
			s.fault(n.ptr+"/$ref", "$ref", "refers to "+Quote(n.ref)+", which does not exist")
		case outside:
			s.external = append(s.external, n.ref)
		}
	}
	for _, n := range s.nodes {
		s.values = s.values || n.seesValues()
	}
	sortFaults(s.faults)
	s.faults = s.faults[:min(len(s.faults), maxFaults)]
	return s, nil
}

// read decodes a schema without looking into it.
func read(raw []byte) (*Schema, error) {
	if len(raw) > MaxSchema {
		return nil, ErrTooLarge
	}
	doc, err := wire.Value(raw)
	if err != nil {
		return nil, err
	}
	s := &Schema{doc: doc, nodes: map[string]*node{}, ids: map[string]*node{}}
	if top, ok := doc.(map[string]any); ok {
		dialect, _ := top["$schema"].(string)
		for _, d := range []string{"draft-03", "draft-04", "draft-06", "draft-07"} {
			s.old = s.old || strings.Contains(dialect, d)
		}
	}
	return s, nil
}

// Faults returns what is wrong with the schema itself.
func (s *Schema) Faults() []Fault { return s.faults }

// External returns the references that lead out of the schema. They are never
// followed.
func (s *Schema) External() []string { return s.external }

// SeesValues says whether what a text or a number says can decide, and not their kinds,
// the names of members, and counts alone.
func (s *Schema) SeesValues() bool { return s.values }

// Check returns what is wrong with a value, the nearest to its root first, and
// how many steps that took. Nil means valid, or undecided.
func (s *Schema) Check(raw []byte) ([]Fault, int) { return s.check(s.root, raw) }

func (s *Schema) check(n *node, raw []byte) ([]Fault, int) {
	if len(raw) > MaxValue {
		return nil, 0
	}
	v, err := wire.Value(raw)
	if err != nil {
		return nil, 0
	}
	r := run{s: s}
	if r.check(n, v, nil, 0) != bad || r.steps > maxSteps {
		return nil, min(r.steps, maxSteps+1) // beyond that the order of members decides
	}
	faults := r.faults
	sortFaults(faults)
	return faults[:min(len(faults), maxFaults)], r.steps
}

func (s *Schema) fault(path, keyword, text string) {
	s.faults = append(s.faults, Fault{Path: path, Keyword: keyword, Text: text, depth: strings.Count(path, "/")})
}

// Where a reference leads.
type place uint8

const (
	unknown place = iota
	inside
	outside // another document, or nothing that is understood here
	nowhere // this document, and nothing is there
)

// target finds what a node refers to.
func (s *Schema) target(n *node) (*node, place) {
	if n.found != unknown {
		return n.refers, n.found
	}
	n.refers, n.found = s.find(n)
	return n.refers, n.found
}

func (s *Schema) find(n *node) (*node, place) {
	ref := n.ref
	named, ok := s.ids[ref]
	switch local := strings.HasPrefix(ref, "#"); {
	case ok && named == nil:
		return nil, outside
	case ok && !(local && n.embedded):
		return named, inside
	case !local || n.embedded:
		return nil, outside
	case ref == "#":
		return s.at("")
	case ref[1] == '/':
		return s.at(unescapeFragment(ref[1:]))
	}
	return nil, nowhere
}

// at is the schema that a JSON pointer points to.
func (s *Schema) at(ptr string) (*node, place) {
	if n, ok := s.nodes[ptr]; ok {
		return n, inside
	}
	v, ok := lookup(s.doc, ptr)
	if !ok {
		return nil, nowhere
	}
	return s.compile(v, ptr, 0, false), inside
}
