package operation

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// Account is what was wanted in one session.
type Account struct {
	Session   *session.Session // nil for what belongs to none
	Tallies   []*Tally         // of the requests of either side, in order of their first
	Bad       []*Operation     // what was not served, equal ones as one, in order
	More      int              // what was not served and has no operation of its own
	Asked     mcp.Version      // in initialize
	Chosen    mcp.Version
	Init      *Operation // the latest handshake that was served, nil for none
	Stderr    Stderr
	Exit      *Exit  // how its process ended, nil for not
	Closed    Closed // who closed what first
	Silence   Gap    // the longest
	Left      Moment // when the client closed its GET stream last
	Large     []Size // messages of more than large bytes, at most maxLarge
	Strays    []Stray
	Noise     []Line // what is no message where messages belong
	Blank     int    // lines with nothing on them
	Noises    int
	OnlyText  bool   // none of them looks like JSON
	LateNoise uint64 // frame of the latest that looks like a message and is none
	Bursts    []Burst

	Client, Server Moment // the last message of either
	Tools          []string
	ToolsN         uint64 // frame of the latest list of tools
	Resources      []string
	Declares       []string   // capabilities of the server, by name; at most maxMembers
	LastServed     *Operation // of the client's requests

	book   *Book
	byName map[tallyKey]*Tally
	called map[string]*tool
	served map[uint64]*Operation // by what was called: the latest that was served
	latest map[string]*Operation // by method
	last   Moment                // of anything
	asksN  uint64                // latest request of the client
	strays int
}

// Tally counts the requests of a method that one side sent.
type Tally struct {
	Method                                        string
	Dir                                           wire.Dir
	Asked, Served, Refused, Failed, Silent, Taken int // Taken: back by their sender
	Longest                                       int64
	LongestN                                      uint64
	Largest                                       uint32 // response in bytes
	LargestN                                      uint64
	First                                         uint64 // frame
}

type tallyKey struct {
	method string
	dir    wire.Dir
}

// tool is what the results of a tool read like.
type tool struct {
	plain, calls int
	odd          *Operation // the first that reads like a failure
}

// Moment is when something passed.
type Moment struct {
	N    uint64
	T    int64
	What string
}

// Gap is a time without a byte.
type Gap struct {
	From, To uint64 // frames
	Took     int64
}

// Size is that of a large message.
type Size struct {
	N     uint64
	Bytes int
	Dir   wire.Dir
}

// Stray is a response that nobody waits for.
type Stray struct {
	N       uint64
	ID      string   // raw JSON
	Waiting []string // ids of what waited then; at most four
	Text    string
}

// Burst is a stream whose events came all at once.
type Burst struct {
	N      uint64
	Events int
	After  int64  // the request
	Length string // Content-Length of the stream, "" for none
}

const (
	large    = 60_000 // bytes
	maxLarge = 3
	maxTools = 512
)

func newAccount(b *Book, s *session.Session) *Account {
	return &Account{
		Session: s, book: b, byName: map[tallyKey]*Tally{}, called: map[string]*tool{},
		served: map[uint64]*Operation{}, latest: map[string]*Operation{},
	}
}

// passes notes that something passed.
func (a *Account) passes(e *session.Event) {
	if gap := e.T - a.last.T; a.last.N != 0 && gap > a.Silence.Took && e.Kind != session.EventTap {
		a.Silence = Gap{a.last.N, e.N, gap}
	}
	a.last.N, a.last.T = e.N, e.T
	if e.Kind != session.EventMessage {
		return
	}
	to := &a.Server
	if e.Dir == wire.ToServer {
		to = &a.Client
	}
	*to = Moment{N: e.N, T: e.T, What: string(e.Message.Method)}
	if n := len(e.Message.Raw); n > large && len(a.Large) < maxLarge {
		a.Large = append(a.Large, Size{e.N, n, e.Dir})
	}
}

func (a *Account) noise(e *session.Event) {
	if len(bytes.TrimSpace(e.Data)) == 0 {
		a.Blank++
		return
	}
	json := bytes.IndexByte(bytes.TrimSpace(e.Data), '{') >= 0
	if a.OnlyText = !json && (a.OnlyText || a.Noises == 0); json {
		a.LateNoise = e.N
	}
	if a.Noises++; len(a.Noise) < maxMembers {
		a.Noise = append(a.Noise, Line{N: e.N, T: e.T, Text: string(words.Clip(e.Data, maxLine))})
	}
}

func (a *Account) stray(b *Book, e *session.Event) {
	if a.strays++; len(a.Strays) >= maxMembers {
		return
	}
	one := Stray{N: e.N, ID: string(words.Clip(e.Message.ID, 64)), Text: string(words.Clip(e.Message.Raw, maxPlain))}
	for _, row := range slices.Sorted(maps.Keys(b.pending)) {
		if o := b.pending[row]; o.Dir != e.Dir && len(one.Waiting) < 4 {
			one.Waiting = append(one.Waiting, b.t.Name(b.t.Row(int(row)).ID))
		}
	}
	a.Strays = append(a.Strays, one)
}

// asks notes an initialize.
func (a *Account) asks(o *Operation, e *session.Event) {
	if o.Method != mcp.Initialize {
		return
	}
	a.Asked = mcp.Version(words.Clip(wire.Said(e.Param("protocolVersion")), 32))
	if len(a.book.Inits) < maxInits {
		client := words.Clip(wire.Said(e.Param("clientInfo", "name")), 64)
		a.book.Inits = append(a.book.Inits, Init{o.N, o.Session, client})
	}
}

func (a *Account) chosen(o *Operation, e *session.Event) {
	if o.Method == mcp.Initialize && e.Message.Kind == wire.MsgResult {
		a.Chosen, a.Declares = mcp.Version(words.Clip(wire.Said(e.Result("protocolVersion")), 32)), nil
		wire.Members(e.Result("capabilities"), func(key, _ []byte) bool {
			a.Declares = append(a.Declares, words.Clip(string(key), 64))
			return len(a.Declares) < maxMembers
		})
	}
}

// take counts an operation that is over.
func (a *Account) take(b *Book, o *Operation) {
	if o.Kind == Notice && !o.Came.Bad() {
		b.forget(o)
		return
	}
	t := a.tally(o)
	t.Asked++
	switch o.Came {
	case Served, Odd:
		t.Served++
	case Refused:
		t.Refused++
	case Failed:
		t.Failed++
	case Silent:
		t.Silent++
	default:
		t.Taken++
	}
	if took := o.End - o.T; o.End != 0 && took > t.Longest {
		t.Longest, t.LongestN = took, o.N
	}
	if o.RLen > t.Largest {
		t.Largest, t.LargestN = o.RLen, o.Response
	}
	if o.Dir == wire.ToServer {
		a.asksN = max(a.asksN, o.N)
	}
	if o.Method == mcp.ToolsCall && o.Dir == wire.ToServer {
		a.callOf(o)
	}
	switch {
	case o.Came.Bad():
		a.add(b, o)
	case o.Came == Cancelled:
		b.forget(o)
	default:
		a.serve(b, o)
	}
}

// callOf notes what a result of a tool reads like.
func (a *Account) callOf(o *Operation) {
	one := a.called[o.Target]
	if one == nil {
		if len(a.called) >= maxTools {
			return
		}
		one = &tool{}
		a.called[o.Target] = one
	}
	switch one.calls++; {
	case o.Came == Served:
		one.plain++
	case o.Came == Odd && one.odd == nil:
		one.odd = o.copy()
	case o.Came == Odd:
		one.odd.Count++
		if len(one.odd.Members) < maxMembers {
			one.odd.Members = append(one.odd.Members, o.member())
		}
	}
}

// Odd are the results that read like a failure: all of a tool, or the last thing that was asked.
func (a *Account) Odd() (all []*Operation) {
	for _, one := range a.called {
		if one.odd != nil && (one.plain == 0 || one.odd.Last().N == a.asksN) {
			all = append(all, one.odd)
		}
	}
	slices.SortFunc(all, func(x, y *Operation) int { return cmp.Compare(x.N, y.N) })
	return all
}

// LatestResults are the latest calls that were served, one of each tool, at most so many, in order.
func (a *Account) LatestResults(most int) []*Operation {
	var all []*Operation
	for _, o := range a.served {
		if o.Method == mcp.ToolsCall {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(x, y *Operation) int { return cmp.Compare(x.N, y.N) })
	return all[max(len(all)-most, 0):]
}

// ServedAfter reports whether a call of a tool was served that was sent after a frame.
func (a *Account) ServedAfter(tool string, n uint64) bool {
	o := a.served[wire.HashOn(wire.Hash([]byte(mcp.ToolsCall)), []byte(tool))]
	return o != nil && o.N > n
}

// serve keeps what was served last, in place of what was before.
func (a *Account) serve(b *Book, o *Operation) {
	if o.Dir != wire.ToServer {
		b.forget(o)
		return
	}
	k := wire.HashOn(wire.Hash([]byte(o.Method)), []byte(o.Target))
	if was := a.served[k]; was != nil && was != a.latest[o.Method] && was != a.LastServed {
		b.forget(was)
	}
	if len(a.served) < maxServed || a.served[k] != nil {
		a.served[k] = o
	}
	if len(a.latest) < maxServed || a.latest[o.Method] != nil {
		a.latest[o.Method] = o
	}
	if a.LastServed = o; o.Kind == Handshake {
		a.Init = o
	}
}

// late takes back that a call was served: its client had left before the response.
func (a *Account) late(b *Book, row int) {
	for _, o := range []*Operation{a.LastServed, a.latest[b.t.Name(b.t.Row(row).Name)]} {
		if o != nil && o.Row == row && o.Came != Silent {
			t := a.tally(o)
			t.Served, t.Silent = t.Served-1, t.Silent+1
			o.Came, o.Ending = Silent, session.Late // it is no other's Before
			a.add(b, o.copy())
			return
		}
	}
}

// forget has the room of an operation used again.
func (b *Book) forget(o *Operation) {
	if len(b.free) < 64 {
		b.free = append(b.free, o)
	}
}

// add keeps what was not served, with its equals.
func (a *Account) add(b *Book, o *Operation) {
	o.words = wire.HashOn(wire.Hash([]byte(shape(o.Words, o.Target))), []byte(o.Method))
	equal := func(p *Operation) bool {
		return p.words == o.words && p.Came == o.Came && p.Status == o.Status && p.Code == o.Code && p.Dir == o.Dir
	}
	if i := slices.IndexFunc(a.Bad, equal); i >= 0 {
		if p := a.Bad[i]; len(p.Members) < maxMembers {
			p.Members = append(p.Members, o.member())
		} else { // the latest is worth more than one in the middle
			p.Members[maxMembers-1] = o.member()
		}
		a.Bad[i].Count++
		b.forget(o)
		return
	}
	if len(a.Bad) >= maxBad || b.bad >= maxBadInAll {
		a.More++
		b.forget(o)
		return
	}
	b.bad++
	o.Members = []Member{o.member()}
	if o.Dir == wire.ToServer {
		o.Before = a.before(o)
	}
	a.Bad = append(a.Bad, o)
}

// before is what was served last of the same, or else of its method, or else at all, as it was
// then; nil for nothing.
func (a *Account) before(o *Operation) *Operation {
	k := wire.HashOn(wire.Hash([]byte(o.Method)), []byte(o.Target))
	for _, p := range []*Operation{a.served[k], a.latest[o.Method], a.LastServed} {
		if p != nil && p.N < o.N && p.Came != Silent {
			return p.copy()
		}
	}
	return nil
}

func (o *Operation) member() Member {
	return Member{o.Target, string(o.Args), o.N, o.Response, o.T, o.End, o.Len, o.Row}
}

// copy is the operation as it is now: its room may be used again.
func (o *Operation) copy() *Operation {
	p := *o
	p.Args, p.Head, p.Before = bytes.Clone(o.Args), bytes.Clone(o.Head), nil
	p.Members = []Member{p.member()}
	return &p
}

// sort puts what was not served into the order in which it was wanted.
func (a *Account) sort() {
	slices.SortStableFunc(a.Bad, func(x, y *Operation) int { return cmp.Compare(x.N, y.N) })
}
