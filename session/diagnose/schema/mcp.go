package schema

import (
	"embed"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
)

// The official schemas, as they were published. See mcp/README.md.
//
//go:embed mcp/*.json
var published embed.FS

// Protocol is the schema of one protocol version of the protocol, and what was found
// with it so far. One goroutine at a time may use it.
type Protocol struct {
	*document
	Version mcp.Version
	seen    map[uint64][]Fault // by the outline of the message, or the value where it has none, and definition
	work    int                // values that were looked at; those without an outline count for many
}

// document is a published schema, read once for all who check by it.
type document struct {
	mu            sync.Mutex // while schema is in use: it compiles what is asked for
	schema        *Schema
	defs          string                // the pointer to the definitions
	requests      map[string]definition // by method
	notifications map[string]definition
	results       map[string]definition
}

var documents struct {
	sync.Mutex
	of map[mcp.Version]*document
}

// definition is one of a schema. Its hash is mixed with that of what was checked
// by it.
type definition struct {
	name string // "" for none
	hash uint64
}

func define(name string) definition { return definition{name, hashOf(name)} }

// Bounds of what is remembered, and of how many different values are looked at: traffic of so
// many has shown what it has to show. What has no outline is large.
const (
	maxSeen   = 4096
	maxWork   = 16_384
	wholeWork = 16
)

// ForVersion returns the schema of a protocol version, nil when there is none. The
// first time that takes a few milliseconds.
func ForVersion(version mcp.Version) *Protocol {
	if !version.IsPublished() {
		return nil
	}
	documents.Lock()
	defer documents.Unlock()
	d, ok := documents.of[version]
	if !ok {
		if documents.of == nil {
			documents.of = map[mcp.Version]*document{}
		}
		d = readPublished(version)
		documents.of[version] = d
	}
	if d == nil {
		return nil
	}
	return &Protocol{document: d, Version: version, seen: map[uint64][]Fault{}}
}

// readPublished reads a schema, nil when there is none.
func readPublished(version mcp.Version) *document {
	raw, err := published.ReadFile("mcp/" + string(version) + ".json")
	if err != nil {
		return nil
	}
	s, err := read(raw)
	if err != nil {
		return nil
	}
	s.lenient = true
	p := &document{
		schema: s, defs: "/definitions/",
		requests: map[string]definition{}, notifications: map[string]definition{}, results: map[string]definition{},
	}
	top, _ := s.doc.(map[string]any)
	defs, ok := top["definitions"].(map[string]any)
	if !ok {
		p.defs = "/$defs/"
		defs, _ = top["$defs"].(map[string]any)
	}
	for _, name := range slices.Sorted(maps.Keys(defs)) {
		p.method(name, defs[name])
	}
	return p
}

// method notes which definition a method has, and which its result.
func (p *document) method(name string, def any) {
	v, _ := lookup(def, "/properties/method/const")
	method, ok := v.(string)
	if !ok {
		return
	}
	if strings.HasSuffix(name, "Notification") {
		p.notifications[method] = define(name)
		return
	}
	p.requests[method] = define(name)
	result := strings.TrimSuffix(name, "Request") + "Result"
	if _, ok := lookup(p.schema.doc, p.defs+result); !ok {
		result = "EmptyResult"
	}
	p.results[method] = define(result)
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64() | 1
}

// Request returns what is wrong with a request, from its raw JSON. A method
// that the protocol version does not define has no faults. o is the outline of the
// message, nil for none.
func (p *Protocol) Request(o *outline.Outline, method string, raw []byte) []Fault {
	return p.check(o, p.requests[method], raw)
}

// Notification is Request for notifications.
func (p *Protocol) Notification(o *outline.Outline, method string, raw []byte) []Fault {
	return p.check(o, p.notifications[method], raw)
}

// Result returns what is wrong with the result of a request: raw is the result
// alone.
func (p *Protocol) Result(o *outline.Outline, method string, raw []byte) []Fault {
	return p.check(o, p.results[method], raw)
}

// Task returns what is wrong with a result that is a task in place of the
// response (2025-11-25).
func (p *Protocol) Task(o *outline.Outline, raw []byte) []Fault {
	return p.check(o, define("CreateTaskResult"), raw)
}

// InputRequired returns what is wrong with a result that asks for input
// (2026-07-28).
func (p *Protocol) InputRequired(o *outline.Outline, raw []byte) []Fault {
	return p.check(o, define("InputRequiredResult"), raw)
}

// check returns what is wrong with a value, and remembers it.
func (p *Protocol) check(o *outline.Outline, def definition, raw []byte) []Fault {
	if def.name == "" || len(raw) > MaxValue {
		return nil
	}
	key, work := def.hash, 1
	if o != nil {
		key ^= o.Hash
	} else {
		key, work = key^wire.Hash(raw), wholeWork
	}
	if faults, ok := p.seen[key]; ok {
		return faults
	}
	if p.work += work; p.work > maxWork {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, where := p.schema.at(p.defs + def.name)
	if where != inside {
		return nil
	}
	if len(p.seen) >= maxSeen {
		clear(p.seen)
	}
	faults, _ := p.schema.check(n, raw)
	p.seen[key] = faults
	return faults
}
