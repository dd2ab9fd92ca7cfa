package ledger

import (
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// The bounds of a Ledger. Debts that are opened beyond them are not known.
const (
	maxOpen    = 1 << 16 // open debts
	maxClosed  = 1 << 10 // closed ones that say more than the row of their call
	maxStreams = 1 << 12 // open event streams
	maxLook    = 16      // open calls that are looked at to guess which one a request belongs to
)

// Ledger knows the debts of the sessions of one tracker. One goroutine at a time may
// use both.
type Ledger struct {
	t        *session.Tracker
	open     map[key]int32 // slots
	slots    []slot
	free     []int32
	closed   []Debt // a ring
	next     int
	past     map[key]int32 // positions in closed
	accounts map[int]*account
	streams  map[uint32]stream // by exchange
	tasks    map[uint64]key    // by the hash of their id
	piped    []*account        // that the process that runs has spoken in
	in, out  moment            // the latest byte on stdin and stdout
}

// key names a debt among the open ones.
type key struct {
	row  int32
	kind Kind
}

// slot is an open debt in the list of its session.
type slot struct {
	Debt
	prev, next int32
	of         *account
	extra      uint64 // the hash of the id of a task, or of the latest event of a stream
}

// account is what is known of a session.
type account struct {
	first, last int32 // slots
	hand        int32 // row of the initialize whose handshake is open, -1 for none
	pages       [len(lists)]int32
	heard       [2]moment // the latest message of the client, and of the server
	get         Streams
	piped       bool
}

type moment struct {
	n uint64
	t int64
}

// stream is an open event stream, or another exchange that matters.
type stream struct {
	of     *account // of a GET stream
	retry  int64    // nanoseconds, as the server asked for
	paused bool     // it did
	id     uint64   // hash of the latest event id
	back   bool     // the client came back for the response to a call
	reply  bool     // it carried the client's response to a request of the server
	call   int32    // the row of either
}

// lists are the methods with pages.
var lists = [...]string{
	mcp.ToolsList, mcp.PromptsList, mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.TasksList,
}

// New returns a ledger that knows nothing yet of what t sees. Give it every event of
// t, by Watch.
func New(t *session.Tracker) *Ledger {
	return &Ledger{
		t: t, open: map[key]int32{}, past: map[key]int32{}, accounts: map[int]*account{},
		streams: map[uint32]stream{}, tasks: map[uint64]key{},
	}
}

// Of is the debt of a row: that of the response to its call, open or not. There is
// none for a row that is no call.
func (l *Ledger) Of(row int) (Debt, bool) {
	if row < 0 || row >= l.t.Rows() {
		return Debt{}, false
	}
	if d, ok := l.find(key{int32(row), Response}); ok {
		return d, true
	}
	r := l.t.Row(row)
	if r.Kind != session.RowCall {
		return Debt{}, false
	}
	d := l.begin(Response, int32(row), r.Dir.Opposite(), uint64(r.Request), r.T)
	if d.End = r.Ending; !d.End.Open() {
		d.EndN, d.EndT = uint64(r.Response), r.End
	}
	return d, true
}

// Other is a debt of another kind than Response about a row, open or one of the
// latest that were.
func (l *Ledger) Other(kind Kind, row int) (Debt, bool) { return l.find(key{int32(row), kind}) }

func (l *Ledger) find(k key) (Debt, bool) {
	if i, ok := l.open[k]; ok {
		return l.slots[i].Debt, true
	}
	if i, ok := l.past[k]; ok {
		return l.closed[i], true
	}
	return Debt{}, false
}

// Open returns the open debts of a session, the oldest first.
func (l *Ledger) Open(session int) []Debt {
	a := l.accounts[session]
	if a == nil {
		return nil
	}
	var all []Debt
	for i := a.first; i >= 0; i = l.slots[i].next {
		all = append(all, l.slots[i].Debt)
	}
	return all
}

// Heard is when the latest message of a session went that way, and its frame: 0 for
// none.
func (l *Ledger) Heard(session int, d wire.Dir) (n uint64, t int64) {
	if a := l.accounts[session]; a != nil {
		return a.heard[way(d)].n, a.heard[way(d)].t
	}
	return 0, 0
}

// Pipe is when the latest line went that way in the process that runs, and its
// frame, be it a message or not: 0 for none.
func (l *Ledger) Pipe(d wire.Dir) (n uint64, t int64) {
	if d == wire.ToServer {
		return l.in.n, l.in.t
	}
	return l.out.n, l.out.t
}

// Streams says what is known of the GET streams of a session.
func (l *Ledger) Streams(session int) Streams {
	if a := l.accounts[session]; a != nil {
		return a.get
	}
	return Streams{}
}

// begin makes an open debt about a call.
func (l *Ledger) begin(kind Kind, row int32, owes wire.Dir, n uint64, t int64) Debt {
	r := l.t.Row(int(row))
	return Debt{
		Kind: kind, Row: row, Session: int(r.Session), Method: l.t.Name(r.Name), Owes: owes, N: n, T: t,
		For: -1, Question: -1, End: session.Waiting,
	}
}

func (l *Ledger) account(session int) *account {
	a := l.accounts[session]
	if a == nil {
		a = &account{first: -1, last: -1, hand: -1}
		for i := range a.pages {
			a.pages[i] = -1
		}
		l.accounts[session] = a
	}
	return a
}

// add opens a debt. It returns nil when there are too many, or it is open.
func (l *Ledger) add(d Debt) *slot {
	k := key{d.Row, d.Kind}
	if _, twice := l.open[k]; twice || len(l.open) >= maxOpen || d.Session < 0 {
		return nil
	}
	if len(l.free) == 0 {
		l.slots = append(l.slots, slot{})
		l.free = append(l.free, int32(len(l.slots)-1))
	}
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	s := &l.slots[i]
	*s = slot{Debt: d, of: l.account(d.Session)}
	l.open[k] = i
	l.link(i)
	return s
}

// link puts a debt at the end of the list of its session.
func (l *Ledger) link(i int32) {
	s := &l.slots[i]
	s.prev, s.next = s.of.last, -1
	if s.prev >= 0 {
		l.slots[s.prev].next = i
	} else {
		s.of.first = i
	}
	s.of.last = i
}

func (l *Ledger) unlink(s *slot) {
	if s.prev >= 0 {
		l.slots[s.prev].next = s.next
	} else {
		s.of.first = s.next
	}
	if s.next >= 0 {
		l.slots[s.next].prev = s.prev
	} else {
		s.of.last = s.prev
	}
}

// end closes a debt, if it is open. It is remembered where it says more than the row
// of its call does.
func (l *Ledger) end(k key, how session.Ending, n uint64, t int64) {
	i, ok := l.open[k]
	if !ok {
		return
	}
	s := &l.slots[i]
	l.unlink(s)
	delete(l.open, k)
	l.free = append(l.free, i)
	d := s.Debt
	d.End, d.EndN, d.EndT = how, n, t
	if s.Kind == Task {
		delete(l.tasks, s.extra)
	}
	*s = slot{}
	if d.Kind != Response || d.For >= 0 || d.Question >= 0 || d.Heard != 0 || how.GaveUp() || how.Lost() {
		l.remember(d)
	}
}

// remember keeps a closed debt, in the place of the oldest when there are too many.
func (l *Ledger) remember(d Debt) {
	if len(l.closed) < maxClosed {
		l.closed = append(l.closed, Debt{Row: -1})
	}
	at := l.next
	l.next = (l.next + 1) % maxClosed
	if old := &l.closed[at]; old.Row >= 0 && l.past[key{old.Row, old.Kind}] == int32(at) {
		delete(l.past, key{old.Row, old.Kind})
	}
	l.closed[at] = d
	l.past[key{d.Row, d.Kind}] = int32(at)
}

// move takes the debts of a row to the session that the row has now. They are all of
// one session.
func (l *Ledger) move(row int32) {
	to := int(l.t.Row(int(row)).Session)
	for kind := range kinds {
		i, ok := l.open[key{row, kind}]
		switch {
		case to < 0 || ok && l.slots[i].Session == to:
			return
		case ok:
			s := &l.slots[i]
			l.unlink(s)
			s.Session, s.of = to, l.account(to)
			l.link(i)
		}
	}
}

func way(d wire.Dir) int {
	if d == wire.ToClient {
		return 1
	}
	return 0
}
