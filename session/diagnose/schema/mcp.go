package schema

import (
	"embed"
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
	seen    map[checked][]Fault
	work    int // values that were looked at; those without an outline count for many
}

// checked is a value by the outline of its message, or by itself where that has none, and the
// definition by which it was checked.
type checked struct {
	definition string
	hash       uint64
}

// document is a published schema, read once for all who check by it.
type document struct {
	mu                sync.Mutex // while schema is in use: it compiles what is asked for
	schema            *Schema
	defs              string            // the pointer to the definitions
	messages, results map[string]string // definitions of requests and notifications, and of results, by method
}

var documents sync.Map // by version, a func() *document

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
	read, _ := documents.LoadOrStore(version, sync.OnceValue(func() *document { return readPublished(version) }))
	d := read.(func() *document)()
	if d == nil {
		return nil
	}
	return &Protocol{document: d, Version: version, seen: map[checked][]Fault{}}
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
	p := &document{schema: s, defs: "/definitions/", messages: map[string]string{}, results: map[string]string{}}
	defs, ok := lookup(s.doc, "/definitions")
	if !ok {
		p.defs = "/$defs/"
		defs, _ = lookup(s.doc, "/$defs")
	}
	all, _ := defs.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		p.method(name, all[name])
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
	p.messages[method] = name
	if strings.HasSuffix(name, "Notification") {
		return
	}
	p.results[method] = strings.TrimSuffix(name, "Request") + "Result"
	if _, ok := lookup(p.schema.doc, p.defs+p.results[method]); !ok {
		p.results[method] = "EmptyResult"
	}
}

// Message returns what is wrong with a request or a notification, from its raw JSON. A method
// that the protocol version does not define has no faults. o is the outline of the
// message, nil for none.
func (p *Protocol) Message(o *outline.Outline, method string, raw []byte) []Fault {
	return p.Named(o, p.messages[method], raw)
}

// Result returns what is wrong with the result of a request: raw is the result
// alone.
func (p *Protocol) Result(o *outline.Outline, method string, raw []byte) []Fault {
	return p.Named(o, p.results[method], raw)
}

// Named returns what is wrong with a value by the definition of that name, and remembers it; nothing
// where there is none.
func (p *Protocol) Named(o *outline.Outline, name string, raw []byte) []Fault {
	if name == "" || len(raw) > MaxValue {
		return nil
	}
	key, work := checked{definition: name}, 1
	if o != nil {
		key.hash = o.Hash
	} else {
		key.hash, work = wire.Hash(raw), wholeWork
	}
	if faults, ok := p.seen[key]; ok {
		return faults
	}
	if p.work += work; p.work > maxWork {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n, where := p.schema.at(p.defs + name)
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
