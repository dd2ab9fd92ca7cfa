package insight

import (
	"cmp"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Kind is a kind of thing that servers list and clients use by name.
type Kind uint8

// The kinds of Item.
const (
	Tool Kind = iota
	Prompt
	Resource
	Kinds // how many there are
)

// Item is a tool, prompt or resource, as it was listed, and how its calls went.
type Item struct {
	Name       string // of a resource its URI
	Definition []byte // as it was listed last, nil when it never was or when it is too long to be kept
	Size       int    // bytes of the definition
	Cost       Cost   // of the definition, as it was listed last
	Listed     uint64 // frame of the latest list that holds it, 0 for none
	Gone       bool   // a later list of the same session does not hold it any more
	Template   bool   // it is a resource template

	Calls     int // requests, without further rounds of the same call
	Rounds    int // further rounds: the same call with the input that was requested
	Errors    int // responded with a JSON-RPC error, or refused by HTTP
	Failed    int // results with isError
	Lost      int // their transport ended before the response
	Cancelled int
	Pending   int
	First     uint64 // frame of the first call

	P50, P95, Max int64    // nanoseconds until the response; 0 when there is none
	Took          int64    // nanoseconds until the responses, of all together
	Bytes         int64    // of all responses
	Tokens        int      // of all results, about
	Last          []uint64 // frames of the latest calls, the oldest first
	Sessions      []int    // that requested it, in order
}

// Bad returns the number of failed calls.
func (it *Item) Bad() int { return it.Errors + it.Failed + it.Lost }

// Unused reports whether an item was offered but never used.
func (it *Item) Unused() bool { return it.Listed != 0 && it.Calls == 0 }

// Listing is the outcome of the requests for a list.
type Listing struct {
	Request  uint64 // frame of the first request, 0 for none
	Response uint64 // frame of the latest list
	Refused  uint64 // frame of the latest refusal
	Code     int64  // of the refusal
}

// List is the items of a kind within a scope.
type List struct {
	Listing
	Items   []Item // in the order in which they were listed, or first called
	Calls   int
	Bytes   int // of all definitions
	Tokens  int // of all definitions, about
	Never   int // listed and never called
	LeftOut int // items that are not kept, there are too many

	Took, ResultBytes int64 // of all items
	ResultTokens      int   // about
}

type itemKey struct {
	session int
	kind    Kind
	name    string
}

// item is an Item of one session.
type item struct {
	Item
	key   itemKey
	gen   int      // of the list it is in
	times []uint32 // microseconds, sorted
	more  []uint32 // those that came since
}

type listKey struct {
	session int
	kind    Kind
}

type listing struct {
	Listing
	gen  int  // changes with each list that begins
	full bool // the last page of gen was seen
}

const (
	maxItems       = 20_000
	maxDefinition  = 256 << 10
	maxDefinitions = 16 << 20 // bytes of all together
)

type items struct {
	by      map[itemKey]*item
	order   []*item
	lists   map[listKey]*listing
	defs    map[string][]byte // many sessions list the same
	costs   map[string]Cost   // by the same
	bytes   int
	leftOut int
}

func (x *items) item(session int, kind Kind, name string) *item {
	k := itemKey{session, kind, name}
	it := x.by[k]
	if it == nil && len(x.order) >= maxItems {
		x.leftOut++
		return nil
	}
	if it == nil {
		it = &item{key: k, Item: Item{Name: name}}
		x.by[k] = it
		x.order = append(x.order, it)
	}
	return it
}

func (x *items) list(session int, kind Kind) *listing {
	k := listKey{session, kind}
	if x.lists[k] == nil {
		x.lists[k] = &listing{}
	}
	return x.lists[k]
}

// lists are the requests for a list: what it is of, and where it stands.
var lists = map[string]struct {
	kind         Kind
	member, name string
}{
	mcp.ToolsList:             {Tool, "tools", "name"},
	mcp.PromptsList:           {Prompt, "prompts", "name"},
	mcp.ResourcesList:         {Resource, "resources", "uri"},
	mcp.ResourceTemplatesList: {Resource, "resourceTemplates", "uriTemplate"},
}

var asks = map[string]Kind{mcp.ToolsCall: Tool, mcp.PromptsGet: Prompt, mcp.ResourcesRead: Resource}

// request takes a request of the client.
func (x *items) request(c *call, m *wire.Message) {
	if l, ok := lists[c.method]; ok {
		c.more = len(wire.Get(m.Params, "cursor")) > 2
		at := x.list(c.session, l.kind)
		at.Request = cmp.Or(at.Request, c.n)
		return
	}
	kind, ok := asks[c.method]
	if !ok {
		return
	}
	if c.item = x.item(c.session, kind, c.target); c.item == nil {
		return
	}
	it := c.item
	it.Pending++
	it.asked(c)
	if len(it.Sessions) == 0 {
		it.Sessions = []int{c.session}
	}
	it.First = cmp.Or(it.First, c.n)
	if wire.Get(m.Params, "inputResponses") != nil || wire.Get(m.Params, "requestState") != nil {
		it.Rounds++
		return
	}
	it.Calls++
}

// response takes the response to such a request.
func (x *items) response(c *call, e *session.Event, how session.Ending) {
	m := &e.Message
	if it := c.item; it != nil {
		it.took(e.T - c.t)
		it.Bytes += int64(len(m.Raw))
		it.Tokens += ResultTokens(m.Result)
		switch {
		case how == session.ToolError:
			it.Failed++
		case how.IsError():
			it.Errors++
		}
		return
	}
	l, ok := lists[c.method]
	if !ok {
		return
	}
	if m.Kind == wire.MsgError {
		x.refused(c, e.N)
		x.list(c.session, l.kind).Code, _ = wire.Int(wire.Get(m.Error, "code"))
		return
	}
	at := x.list(c.session, l.kind)
	if !c.more && c.method != mcp.ResourceTemplatesList {
		at.gen++
	}
	at.Response, at.full = e.N, len(wire.Get(m.Result, "nextCursor")) <= 2
	wire.Items(wire.Get(m.Result, l.member), func(_ int, raw []byte) bool {
		x.define(c, at, e.N, raw)
		return true
	})
}

func (x *items) refused(c *call, n uint64) {
	if l, ok := lists[c.method]; ok {
		x.list(c.session, l.kind).Refused = n
	}
}

// define takes one item of a list.
func (x *items) define(c *call, at *listing, n uint64, raw []byte) {
	l := lists[c.method]
	it := x.item(c.session, l.kind, clip(wire.Said(wire.Get(raw, l.name)), maxName))
	if it == nil {
		return
	}
	it.Listed, it.gen, it.Size = n, at.gen, len(raw)
	it.Template = l.name == "uriTemplate"
	it.Definition = x.keep(raw)
	cost, known := x.costs[string(raw)]
	if !known {
		if cost = CostOf(raw); it.Definition != nil {
			x.costs[string(it.Definition)] = cost
		}
	}
	it.Cost = cost
}

// keep returns a copy of a definition, the same for the same bytes; nil when
// there is no room for it.
func (x *items) keep(raw []byte) []byte {
	if d, ok := x.defs[string(raw)]; ok {
		return d
	}
	if len(raw) > maxDefinition || x.bytes+len(raw) > maxDefinitions {
		return nil
	}
	x.bytes += len(raw)
	key := string(raw)
	x.defs[key] = []byte(key)
	return x.defs[key]
}
