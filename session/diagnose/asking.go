package diagnose

import (
	"bytes"
	"math/bits"
	"slices"

	"midwire/session"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
)

// ask asks the rules that want to be asked.
func (c *Checker) ask(on On, method string) {
	in := scope{modern: c.c.IsModern(), version: c.c.ProtocolVersion()}
	in.streamable = c.c.Session != nil && c.c.Session.Transport == session.TransportHTTP
	if c.table == nil || c.scope != in {
		c.scope, c.table = in, c.tableFor(in)
	}
	on |= c.c.narrower(on)
	all := c.table.of(occasion{on, method})
	if on&(Requests|Results) == 0 || on&(ModernResults|Handshakes) != 0 || !c.table.byMethod[method] {
		c.askAll(all.list)
		return
	}
	o := c.c.Outline()
	if o != nil && all.clean[o] {
		c.askAll(all.others)
		return
	}
	c.told = false
	if c.askAll(all.list); o != nil && !c.told {
		if all.clean == nil || len(all.clean) >= maxOutlines {
			all.clean = map[*outline.Outline]bool{}
		}
		all.clean[o] = true
	}
}

func (c *Checker) askAll(list []asked) {
	for asked := 0; asked < len(list); {
		asked = c.askEach(list, asked)
	}
}

// askEach asks the rules of a list from one on, and returns the place of the one to
// ask next: a rule that panics is asked no more in this session.
func (c *Checker) askEach(list []asked, i int) (next int) {
	in := -1
	if c.c.Session != nil {
		in = c.c.Session.Index
	}
	defer defect.Recover("", c.c.N, func(d *defect.Defect) {
		next = i + 1
		d.Unit = "the rule " + list[i].ID
		c.dropped[dropped{list[i].place, in}] = true
		c.report(d)
		c.told = true
	})
	some := len(c.dropped) > 0
	for ; i < len(list); i++ {
		one := &list[i]
		if some && c.dropped[dropped{one.place, in}] {
			continue
		}
		c.c.asked = one
		one.check(&c.c)
	}
	return i
}

// dropped is a rule that panicked, by its place, and the session in hand, -1 for none.
type dropped struct{ rule, session int }

// report asks about a defect, and returns to the case in hand.
func (c *Checker) report(d *defect.Defect) {
	if c.c.Defect != nil { // the rule about defects has one itself
		return
	}
	was := c.c
	c.c.Defect = d
	c.ask(Defects, "")
	c.c = was
}

// narrower is what else the case is, besides on.
func (c *Case) narrower(on On) (also On) {
	is := func(narrow On, yes bool) {
		if yes {
			also |= narrow
		}
	}
	if on&Messages != 0 {
		is(Foreign, !wire.IsASCII(c.Message.Raw))
		is(Lines, c.Exchange == nil)
		is(Batches, c.Batched)
		is(Metas, c.Param("_meta") != nil || c.Result("_meta") != nil)
		is(Handshakes, c.Call != nil && c.Call.Method == mcp.Initialize)
	}
	switch x := c.Exchange; on {
	case Requests:
		is(Questions, c.Dir == wire.ToClient)
		is(ModernRequests, c.Modern)
	case Results, Errors:
		is(FailedCalls, on == Errors || c.Row >= 0 && c.Tracker().Row(int(c.Row)).Ending.IsError())
		is(Strays, c.Call == nil)
		is(Replies, c.Dir == wire.ToServer)
		is(ModernResults, on == Results && c.Call != nil && c.Call.Modern)
	case HTTPRequests:
		is(OtherRequests, isOther(x))
		is(OddVersions, !c.namesVersion())
	case HTTPResponses:
		is(OtherResponses, isOther(x))
		is(OddResponses, x.Status != 200)
		is(PageResponses, x.Header("Origin") != "")
		is(VersionResponses, !c.namesVersion())
		is(OtherMedia, x.ResponseHeader("Content-Type") != "application/json")
		id := x.ResponseHeader(mcp.HeaderSessionID)
		is(OtherIDs, id != "" && id != x.SessionID)
	case Bodies:
		is(OtherBodies, isOther(x))
		is(OddBodies, x.Status != 200 || c.Row < 0 || c.Tracker().Row(int(c.Row)).Ending != session.Served)
	case Ends:
		is(OtherEnds, isOther(x))
		is(StreamEnds, x.IsStream || x.Verb == "GET")
		is(ClientEnds, c.By == wire.ByClient || c.Left != 0)
	}
	return also
}

// namesVersion says whether the request in hand has the version of its session
// somewhere in its head.
func (c *Case) namesVersion() bool {
	version := c.ProtocolVersion()
	x := c.Exchange
	return version != "" &&
		(x.Header(mcp.HeaderVersion) == string(version) || bytes.Contains(x.RequestHead, []byte(version))) &&
		(c.Facts == nil || !c.Facts.Negotiated() || c.Facts.Init.Chosen == version)
}

// isOther says whether an exchange is anything but the POST of a message.
func isOther(x *session.Exchange) bool { return x.Messages == 0 || x.Verb != "POST" }

// scope is where rules are asked.
type scope struct {
	modern, streamable bool
	version            mcp.Version // "" when it is not known
}

// allows says whether a rule holds there.
func (in *scope) allows(r *Rule) bool {
	if r.Era != AnyEra && in.modern != (r.Era == Modern) {
		return false
	}
	switch {
	case r.From == "" && r.To == "":
		return true
	case r.From == mcp.V20250326 && in.streamable:
		// Streamable HTTP came with it: what is on the wire counts, not the version that
		// a client names.
		return r.To == "" || in.version <= r.To
	case in.version == "":
		return r.From == ""
	}
	return in.version >= r.From && (r.To == "" || in.version <= r.To)
}

const maxTables = 64

// tableFor returns the rules that hold in a scope.
func (c *Checker) tableFor(in scope) *table {
	if t := c.tables[in]; t != nil {
		return t
	}
	t := &table{
		any: make([]asked, 0, len(c.rules)), byMethod: map[string]bool{}, lists: map[occasion]*lists{},
	}
	for i, r := range c.rules {
		if in.allows(r) {
			t.add(asked{r, r.Check, i})
		}
	}
	if len(c.tables) < maxTables { // peers may make up as many protocol versions as they like
		c.tables[in] = t
	}
	return t
}

// asked is a rule, and its place among those of the checker.
type asked struct {
	*Rule
	check func(*Case) // its own, at hand
	place int
}

// table finds the rules to ask.
type table struct {
	any      []asked // rules that do not care for the method
	some     []asked // those that do, asked behind them
	byMethod map[string]bool
	lists    map[occasion]*lists
	latest   [bits.UintSize]struct { // of lists, by the kind of the case
		of occasion
		*lists
	}
}

// lists are the rules to ask on an occasion.
type lists struct {
	list, others []asked                   // all, and those that are not Alike
	clean        map[*outline.Outline]bool // those with which the rest has found nothing
}

// occasion is what rules are asked about: a case is of one kind, and may be of
// narrower ones.
type occasion struct {
	on     On
	method string
}

func (t *table) add(a asked) {
	if len(a.Methods) == 0 {
		t.any = append(t.any, a)
		return
	}
	t.some = append(t.some, a)
	for _, m := range a.Methods {
		t.byMethod[m] = true
	}
}

// of returns the rules to ask on an occasion.
func (t *table) of(o occasion) *lists {
	last := &t.latest[bits.TrailingZeros64(uint64(o.on))]
	if last.lists != nil && last.of == o {
		return last.lists
	}
	last.of = o
	if !t.byMethod[o.method] {
		o.method = ""
	}
	all := t.lists[o]
	if all == nil {
		all = &lists{list: t.list(o)}
		all.others = slices.DeleteFunc(slices.Clone(all.list), func(a asked) bool { return a.Alike })
		t.lists[o] = all
	}
	last.lists = all
	return all
}

// ofMethods are the cases that Rule.Methods narrows.
const ofMethods = Messages | HTTPResponses | Refusals | Settled

func (t *table) list(o occasion) (list []asked) {
	for _, all := range [...][]asked{t.any, t.some} {
		for _, a := range all {
			if a.On&o.on != 0 && (len(a.Methods) == 0 || slices.Contains(a.Methods, o.method) || o.on&ofMethods == 0) {
				list = append(list, a)
			}
		}
	}
	return list
}
