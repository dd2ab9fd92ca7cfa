package evidence

import (
	"slices"
	"strconv"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/operation"
	"midwire/session/wire"
)

// Known is what a block takes from elsewhere.
type Known struct {
	// Schema returns the inputSchema of a tool and the frame of its list; nil where it was not listed.
	Schema func(tool string) (input []byte, n uint64)
	// Documents are values of a login that do not fit each other.
	Documents []Pair
	Owed      []Owed
	// Again is what asking the server again came to.
	Again []Again
}

// Owed is what was due, and never came.
type Owed struct {
	What, After string
	N           uint64
}

// Pair is two values that documents give of the same.
type Pair struct {
	WhatA, ValueA, WhatB, ValueB string
	FrameA, FrameB               uint64
}

const (
	maxGroups  = 5
	maxResults = 3
	longSilent = 10e9
)

// of makes the lines of one session.
type of struct {
	Known
	book   *operation.Book
	a      *operation.Account
	client string
	server string
	lines  []Line
}

// Of is the evidence in a session, all lines of it, in order; Fit leaves out what has no room.
func Of(book *operation.Book, s *session.Session, known Known) []Line {
	a := book.Of(s.Index)
	if a == nil {
		return nil
	}
	o := &of{Known: known, book: book, a: a, client: Name(s.Client, "the client"), server: Name(s.Server, "the server")}
	o.groups()
	o.strays()
	o.stderr()
	o.sizes()
	o.documents()
	o.version()
	o.counts()
	o.ended()
	o.again()
	return o.lines
}

// Name is what a peer is called in lines.
func Name(p session.Peer, other string) string {
	if name := one(p.Name); name != "" && len(name) <= 40 {
		return name
	}
	return other
}

func (o *of) add(l *builder) {
	if len(l.Parts) > 0 {
		o.lines = append(o.lines, l.Line)
	}
}

// groups are what was not served, each with what differs from when it was.
func (o *of) groups() {
	shown := 0
	rank := func(p *operation.Operation) int { // what was not answered stands behind what was refused
		if p.Came == operation.Silent {
			return 1
		}
		return 0
	}
	bad := slices.Clone(o.a.Bad)
	bad = append(bad, o.a.Odd()...)
	slices.SortStableFunc(bad, func(x, y *operation.Operation) int { return rank(x) - rank(y) })
	bad = slices.DeleteFunc(bad, (*operation.Operation).Optional)
	var schema, before string
	for _, p := range bad {
		if shown++; shown > maxGroups {
			continue
		}
		o.group(p)
		if text := o.schema(p); text != nil && text.Text() != schema {
			schema = text.Text()
			o.add(text)
		}
		if p.Before != nil && !p.Event && p.Came == operation.Silent && shown > 1 {
			continue
		}
		served, differs := o.before(p)
		if text := served.Text(); len(served.Parts) > 0 && text != before {
			before = text
			o.add(served)
		}
		o.add(differs)
	}
	if more := shown - maxGroups; more > 0 {
		o.add(on(Refused).put("and " + strconv.Itoa(more) + " more that were not served"))
	}
	if shown == 0 {
		o.results()
	}
}

// results are what the tools returned last: where nothing was refused, what they say is what there
// is to see.
func (o *of) results() {
	for _, p := range o.a.LatestResults(maxResults) {
		if p.Words == "" {
			continue
		}
		l := on(Served).put(called(p.Target)).at(p.N)
		arguments(l, p, string(p.Args))
		o.add(l.put(" → ").quote(Shorten(one(p.Words), 120)).cite(p.Response))
	}
}

var labels = map[operation.Came]string{
	operation.Refused: Refused, operation.Failed: Failed, operation.Silent: Silent, operation.Odd: Odd,
}

func (o *of) group(p *operation.Operation) {
	l := on(labels[p.Came])
	if p.Dir == wire.ToClient {
		l.put(o.server + " asked " + o.client + ": ")
	}
	o.members(l, p)
	if p.Came == operation.Silent {
		o.silent(l, p)
		o.add(l)
		o.sent(p)
		got := on(Got)
		got.fields(p)
		o.add(got)
		return
	}
	if took := p.Members[0].Took(o.book.Until()); p.End != 0 && p.Came != operation.Odd {
		l.put(", after " + Took(took))
	}
	o.add(l)
	o.sent(p)
	got := on(Got)
	if p.Status >= 300 {
		got.put("HTTP " + strconv.Itoa(p.Status))
	}
	if p.Code != 0 {
		sep(got)
		got.put(strconv.FormatInt(p.Code, 10))
	}
	if p.Words != "" {
		if len(got.Parts) > 0 {
			got.put(" ")
		}
		got.quote(p.Words)
	}
	if p.Data != "" && !strings.Contains(p.Words, p.Data) {
		got.put(" data ").quote(p.Data)
	}
	got.fields(p)
	if p.Status >= 400 && p.Got != "" && wire.HeadValue([]byte(p.Got), "Content-Type") == "" && p.Words != "" {
		sep(got)
		got.put("no Content-Type")
	}
	got.cite(p.Last().Response)
	o.add(got)
}

// fields adds the headers that tell something of the response.
func (l *builder) fields(p *operation.Operation) {
	for _, f := range telling(p.Got, gotNames) {
		sep(l)
		l.put(f.name, ": ").quote(f.value)
	}
}

func sep(l *builder) {
	if len(l.Parts) > 0 {
		l.put(" · ")
	}
}

// members names what was asked: each time, as far as they are kept.
func (o *of) members(l *builder, p *operation.Operation) {
	mixed := slices.ContainsFunc(p.Members, func(m operation.Member) bool { return m.Target != p.Target })
	name := called(p.Method)
	if p.Target != "" && !mixed {
		name += " " + called(p.Target)
		if p.Method == mcp.ToolsCall {
			name = called(p.Target)
		}
	}
	l.put(name)
	if p.Count > 1 {
		l.put(" " + strconv.Itoa(p.Count) + "×:")
	}
	shown := p.Members[:min(len(p.Members), 3)]
	for i := range shown {
		m := &shown[i]
		if i > 0 {
			l.put(" ·")
		}
		if l.at(m.N); mixed {
			l.put(" " + called(m.Target))
		}
		l.cite(m.Response)
		arguments(l, p, m.Args)
	}
	if more := p.Count - len(shown); more > 0 {
		l.put(" · " + strconv.Itoa(more) + " more")
	}
	if slices.ContainsFunc(o.a.Bad, func(q *operation.Operation) bool { return q != p && q.N == p.N }) {
		l.put(", in a batch")
	}
}

// arguments writes what was sent: name=value, or the query of what is no message.
func arguments(l *builder, p *operation.Operation, args string) {
	switch {
	case args == "" || args == "{}" || p.Method == mcp.Initialize:
	case args[0] != '{':
		l.put(" ").quote(args)
	default:
		n := 0
		wire.Members([]byte(args), func(key, value []byte) bool {
			if string(key) == "_meta" || p.Target != "" && wire.Said(value) == p.Target {
				return true
			}
			if n++; n > 6 {
				l.put(" …")
				return false
			}
			l.put(" " + called(string(key)) + "=")
			if text := wire.Said(value); text != "" || string(value) == `""` {
				l.quote(text)
			} else if len(value) > 24 {
				l.quote(string(value))
			} else {
				l.put(called(string(value)))
			}
			return true
		})
	}
}

// silent says how long nothing came, and what became of who waited.
func (o *of) silent(l *builder, p *operation.Operation) {
	m := p.Last()
	l.put(": no response in " + Took(m.Took(o.book.Until())))
	switch who := o.who(p.Dir); {
	case p.Ending == session.Late:
		how := " had given up"
		if p.X == 0 { // over stdio, where a cancellation says so
			how = " had cancelled it"
		}
		l.put("; it came when " + who + how)
	case p.Ending.GaveUp():
		l.put("; " + who + " gave up")
	case p.Ending == session.Undelivered:
		l.put("; it was not delivered")
	}
	if p.Status != 0 {
		l.put("; HTTP " + strconv.Itoa(p.Status) + " came")
	}
	if p.Before == nil && p.Kind == operation.Call && p.Dir == wire.ToServer && o.a.LastServed == nil {
		l.put("; nothing was served before it")
	}
}

// who sent what went that way.
func (o *of) who(d wire.Dir) string {
	if d == wire.ToServer {
		return o.client
	}
	return o.server
}

// Fit leaves out the last lines where there are more than so many rows; each line takes as many
// as rows says.
func Fit(all []Line, most int, rows func(Line) int) Block {
	used := 0
	last := len(all)
	for last > 0 && (all[last-1].Label == Asked || all[last-1].Label == Next) { // they stay
		last--
	}
	all, told := all[:last], all[last:]
	for _, l := range told {
		used += rows(l)
	}
	keep := last
	for i, l := range all {
		if used += rows(l); used > most {
			keep = i
			break
		}
	}
	b := Block{Lines: slices.Concat(all[:keep], told)}
	for _, l := range all[keep:] {
		if !slices.Contains(b.Left, l.Label) {
			b.Left = append(b.Left, l.Label)
		}
	}
	return b
}
