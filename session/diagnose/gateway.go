package diagnose

import (
	"bytes"
	"cmp"
	"slices"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// View is one side of a flow that passes a gateway: the calls of one recording,
// as far as they are needed for comparing them with the other side's.
type View struct {
	Name    string // of the recording, for people
	Flow    string // of the recording, "" for none
	Side    string // of its gateway, as in the recording; "" for not known
	host    string
	started int64 // nanoseconds since 1970
	calls   []*Passage
	byRow   map[int32]*Passage
	checker *Checker
}

// Passage is one call of a client as one side saw it.
type Passage struct {
	Session      int
	N, ResponseN uint64
	T, ResponseT int64 // nanoseconds since 1970; AnswerT 0 while there is none
	Method       string
	Target       string
	ID           string // raw JSON
	SessionID    string // Mcp-Session-Id of the request
	Trace        string
	Modern       bool
	Meta         []byte // params._meta, nil for none
	Args         []byte // params without _meta, as far as MaxPassage
	Result       []byte // result or error, as far as MaxPassage
	IsError      bool   // a JSON-RPC error
	args, res    uint64 // hashes of the whole
}

// Name is the call within a sentence: its method and its target.
func (p *Passage) Name() string {
	if p.Target == "" {
		return p.Method
	}
	return p.Method + " “" + words.Ellipsis(p.Target, 80) + "”"
}

// MaxPassage bounds what a Passage keeps of each of its texts, in bytes.
const MaxPassage = 4096

const maxPassages = 200_000

// NewView returns an empty side of the recording that was made on that machine
// and began at that time, in nanoseconds since 1970. It is filled by the
// checker of NewWith.
func NewView(name, host string, started int64) *View {
	return &View{Name: name, host: host, started: started, byRow: map[int32]*Passage{}}
}

// NewWith is New; side, if it is not nil, keeps what Compare needs.
func NewWith(opts session.Options, rules []*Rule, side *View) (*session.Tracker, *Checker) {
	t, c := New(opts, rules)
	if side != nil {
		side.checker, c.side = c, side
	}
	return t, c
}

// ask keeps a call.
func (s *View) ask(e *session.Event, c *Call) {
	if c.Dir != wire.ToServer || len(s.calls) >= maxPassages || c.Method == mcp.Ping {
		return
	}
	p := &Passage{
		Session: e.Session.Index, N: c.N, T: s.started + c.T, Method: c.Method, Target: c.Target,
		ID: c.ID, Modern: c.Modern,
	}
	if e.Exchange != nil {
		p.SessionID = e.Exchange.SessionID
	}
	meta := wire.Get(e.Message.Params, "_meta")
	p.Meta = keep(meta)
	if meta != nil {
		p.Trace = wire.Said(wire.Get(meta, mcp.MetaTraceParent))
	}
	p.Args = keep(wire.Get(e.Message.Params, "arguments"))
	p.args = hashParams(e.Message.Params)
	s.calls = append(s.calls, p)
	s.byRow[c.Row] = p
}

// response keeps what a call got its response.
func (s *View) response(e *session.Event) {
	p := s.byRow[e.Row]
	if p == nil {
		return
	}
	delete(s.byRow, e.Row)
	p.ResponseN, p.ResponseT = e.N, s.started+e.T
	body := e.Message.Result
	if p.IsError = e.Message.Kind == wire.MsgError; p.IsError {
		body = e.Message.Error
	}
	p.Result, p.res = keep(body), wire.Hash(body)
}

func keep(b []byte) []byte {
	if b == nil {
		return nil
	}
	return append([]byte{}, b[:min(len(b), MaxPassage)]...)
}

// hashParams is the hash of the parameters without _meta.
func hashParams(params []byte) uint64 {
	h := uint64(wire.HashSeed)
	wire.Each(params, func(key, value []byte) bool {
		if string(key) != "_meta" {
			h = wire.HashOn(wire.HashOn(h, key), value)
		}
		return true
	})
	return h
}

// Pair is one call as both sides of a gateway saw it.
type Pair struct{ Outer, Inner *Passage }

// Flow is what both sides of a gateway saw.
type Flow struct {
	Outer, Inner *View
	Pairs        []Pair
}

// Compare matches the calls of two recordings. When the calls of one side lie
// within those of the other, and at least atLeast of them ask for something by
// name, it runs the rules for Pairs and Flows and returns the outer side and
// the findings. It returns nil and nothing when the two are not of one flow.
func Compare(a, b *View, rules []*Rule, atLeast int) (*View, []*Finding) {
	ab, ba := match(a, b), match(b, a)
	f := &Flow{Outer: a, Inner: b, Pairs: ab}
	if len(ba) > len(ab) {
		f = &Flow{Outer: b, Inner: a, Pairs: ba}
	}
	named := 0
	for _, p := range f.Pairs {
		if p.Outer.Target != "" {
			named++
		}
	}
	if len(f.Pairs) == 0 || named < atLeast {
		return nil, nil
	}
	c := newChecker(rules)
	c.tracker = f.Outer.checker.tracker
	for i, facts := range f.Outer.checker.facts {
		own := *facts
		own.state = nil // it belongs to the rules of the other checker
		c.facts[i] = &own
	}
	for i := range f.Pairs {
		p := &f.Pairs[i]
		c.c = Case{Event: c.event(p.Outer), checker: c, Pair: p, Flow: f, Facts: c.facts[p.Outer.Session]}
		c.ask(Pairs, "")
	}
	c.c = Case{Event: &session.Event{Row: -1}, checker: c, Flow: f}
	c.ask(Flows, "")
	return f.Outer, c.Findings()
}

// At makes a case of Flows one about a call of the outer side, which the next
// report is then about.
func (c *Case) At(outer *Passage) { c.Event = c.checker.event(outer) }

// event stands for a call in a case about a pair.
func (c *Checker) event(p *Passage) *session.Event {
	return &session.Event{N: p.N, Row: -1, Session: c.tracker.Session(p.Session), Modern: p.Modern}
}

// slack is how far the clocks of two machines may differ, in nanoseconds. On
// one machine the calls of the inner side lie within those of the outer one.
const slack = 50e6

// match finds for each call of the outer side the one that the gateway made of
// it: the same method and target, sent while the outer one waited; with the
// same parameters if there is one, the same trace first. It returns nothing
// unless nearly all that the inner side saw came through the outer one.
func match(outer, inner *View) []Pair {
	type key struct {
		method, target string
		args           uint64
	}
	m := matcher{used: map[*Passage]bool{}}
	if outer.host != inner.host {
		m.slack = slack
	}
	exact, loose := map[key][]*Passage{}, map[key][]*Passage{}
	for _, p := range inner.calls {
		k := key{p.Method, p.Target, p.args}
		exact[k] = append(exact[k], p)
		k.args = 0
		loose[k] = append(loose[k], p)
	}
	var left []*Passage
	for _, o := range outer.calls {
		if !m.take(o, exact[key{o.Method, o.Target, o.args}]) {
			left = append(left, o)
		}
	}
	for _, o := range left {
		if o.Target != "" {
			m.take(o, loose[key{o.Method, o.Target, 0}])
		}
	}
	if !m.covers(inner) {
		return nil
	}
	slices.SortFunc(m.pairs, func(a, b Pair) int { return cmp.Compare(a.Outer.N, b.Outer.N) })
	return m.pairs
}

// matcher collects pairs.
type matcher struct {
	slack int64
	used  map[*Passage]bool
	pairs []Pair
}

// take pairs a call with the best of those that may be it, in order of time.
func (m *matcher) take(o *Passage, from []*Passage) bool {
	var best *Passage
	i, _ := slices.BinarySearchFunc(from, o.T-m.slack, func(p *Passage, t int64) int { return cmp.Compare(p.T, t) })
	for _, p := range from[i:] {
		if o.ResponseT != 0 && p.T > o.ResponseT+m.slack {
			break
		}
		if m.used[p] || o.ResponseT != 0 && p.ResponseT > o.ResponseT+m.slack {
			continue
		}
		if best == nil || o.Trace != "" && p.Trace == o.Trace && best.Trace != o.Trace {
			best = p
		}
	}
	if best == nil {
		return false
	}
	m.used[best] = true
	m.pairs = append(m.pairs, Pair{o, best})
	return true
}

// covers says whether the calls of the inner side are those of the outer one:
// at least four of five calls that ask for something by name. Where there is
// none, lists count.
func (m *matcher) covers(inner *View) bool {
	named, lists, pairedNamed, pairedLists := 0, 0, 0, 0
	for _, p := range inner.calls {
		switch {
		case p.Target != "":
			named++
			if m.used[p] {
				pairedNamed++
			}
		case p.Method != mcp.Initialize:
			lists++
			if m.used[p] {
				pairedLists++
			}
		}
	}
	if named > 0 {
		return pairedNamed > 0 && pairedNamed*5 >= named*4
	}
	return pairedLists > 0 && pairedLists*5 >= lists*4
}

// Members lists the members of an object, in order, with their values.
func Members(object []byte) (keys []string, values map[string][]byte) {
	values = map[string][]byte{}
	wire.Each(object, func(key, value []byte) bool {
		keys = append(keys, string(key))
		values[string(key)] = bytes.TrimSpace(value)
		return true
	})
	return keys, values
}

// Handshake is the first initialize of a side that got a response, nil for none.
func (f *Flow) Handshake(s *View) *Passage {
	for _, p := range s.calls {
		if p.Method == mcp.Initialize && p.ResponseN != 0 && !p.IsError {
			return p
		}
	}
	return nil
}
