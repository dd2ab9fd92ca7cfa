package ledger

import (
	"cmp"
	"slices"

	"midwire/session"
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
	owed     [kinds]int    // how many of them are open
	rows     [16][]asked   // of the table, by event
	made     Debt          // the latest that was made
	slots    []slot
	free     []int32
	closed   []Debt // a ring
	next     int
	past     map[key]int32 // positions in closed
	accounts map[int]*account
	streams  map[uint32]stream // by exchange
	named    map[name]int32    // rows of open debts, by what they are about
	fetched  map[uint64]bool   // tasks whose result was requested
	renewals []key             // open debts of that kind: one initialize pays them all
	piped    []*account        // that the process that runs has spoken in
	in, out  moment            // the latest byte on stdin and stdout
	pipes    Pipes
}

// name is what an open debt is found by beside its row: the hash of the id of a task, of
// the latest event of a stream, of a token.
type name struct {
	kind Kind
	id   uint64
}

// key names a debt among the open ones, by its row and its kind.
type key uint64

func keyOf(row int32, kind Kind) key { return key(uint32(row))<<8 | key(kind) }

func (k key) kind() Kind { return Kind(k & 0xff) }

// slot is an open debt in the list of its session.
type slot struct {
	Debt
	prev, next int32
	of         *account
}

// account is what is known of a session.
type account struct {
	first, last int32             // slots
	latest      [kinds]int32      // row of the latest open debt of a kind, -1 for none
	lists       [len(lists)]reads // by method
	lost        int32             // row of the latest Renewal
	given       int32             // row of the initialize that gave the session its id
	heard       [2]moment         // the latest message of the client, and of the server
	piped       bool
}

type moment struct {
	n uint64
	t int64
}

// reads are the rows of the latest request for a list, of the page whose next one is due,
// and of the request for what has changed since; -1 for none.
type reads struct{ read, page, changed int32 }

// stream is an open event stream, or another exchange that matters.
type stream struct {
	retry  int64  // nanoseconds, from the server
	paused bool   // it did
	id     uint64 // hash of the latest event id
	back   bool   // the client came back for the response to a call
	reply  bool   // it carried the client's response to a request of the server
	call   int32  // the row of either
}

// New returns a ledger that knows nothing yet of what t sees. Give it every event of
// t, by Watch.
func New(t *session.Tracker) *Ledger {
	return &Ledger{
		t: t, open: map[key]int32{}, past: map[key]int32{}, accounts: map[int]*account{},
		streams: map[uint32]stream{}, named: map[name]int32{},
		fetched: map[uint64]bool{}, rows: rows(),
	}
}

// Of is the debt of a row: that of the response to its call, open or not. There is
// none for a row that is no call.
func (l *Ledger) Of(row int) (Debt, bool) {
	if row < 0 || row >= l.t.Rows() {
		return Debt{}, false
	}
	if d, ok := l.find(keyOf(int32(row), Response)); ok {
		return d, true
	}
	r := l.t.Row(row)
	if r.Kind != session.RowCall {
		return Debt{}, false
	}
	d := *l.begin(Response, int32(row), r.Dir.Opposite(), uint64(r.Request), r.T)
	if d.End = r.Ending; !d.End.Open() {
		d.EndN, d.EndT = uint64(r.Response), r.End
	}
	return d, true
}

// Latest is the latest open debt of a kind in a session.
func (l *Ledger) Latest(kind Kind, session int) (Debt, bool) {
	if a := l.accounts[session]; a != nil {
		if s := l.slot(a.latest[kind], kind); s != nil {
			return s.Debt, true
		}
	}
	return Debt{}, false
}

// Other is a debt of another kind than Response about a row, open or one of the
// latest that were.
func (l *Ledger) Other(kind Kind, row int) (Debt, bool) { return l.find(keyOf(int32(row), kind)) }

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

// Missing returns what never came in a session, the oldest first: debts that are open, or
// that nothing can pay any more, whose time was over at the time now.
func (l *Ledger) Missing(session int, now int64) (all []Debt) {
	keep := func(d *Debt) {
		if d.Session != session || !d.Missing() {
			return
		}
		// Where there is no time for it, it is missed when its debtor continues without it.
		if within := d.About().Within; within == 0 && d.Times > 0 || within > 0 && now-max(d.T, d.Due) >= within {
			all = append(all, *d)
		}
	}
	for i := range l.closed {
		keep(&l.closed[i])
	}
	if a := l.accounts[session]; a != nil {
		for i := a.first; i >= 0; i = l.slots[i].next {
			keep(&l.slots[i].Debt)
		}
	}
	slices.SortStableFunc(all, func(a, b Debt) int { return cmp.Compare(a.T, b.T) })
	return all
}

// Wait returns how long a debt was open: until it ended, or now.
func (d *Debt) Wait(now int64) int64 {
	if !d.End.Open() && d.EndT != 0 {
		now = d.EndT
	}
	return now - d.T
}

// Pipes says what is known of the pipes of the process that runs, or ran last.
func (l *Ledger) Pipes() Pipes { return l.pipes }

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

// begin makes an open debt about a call. The next one that is made takes its place.
func (l *Ledger) begin(kind Kind, row int32, owes wire.Dir, n uint64, t int64) *Debt {
	r := l.t.Row(int(row))
	d := l.due(kind, row, int(r.Session), owes, n, t)
	d.Method = l.t.Name(r.Name)
	return d
}

// due is begin for a debt of a session, or of Whole, that is about no call.
func (l *Ledger) due(kind Kind, row int32, in int, owes wire.Dir, n uint64, t int64) *Debt {
	l.made = Debt{Kind: kind, Row: row, Session: in, Owes: owes, N: n, T: t, For: -1, Question: -1}
	l.made.End = session.Waiting
	return &l.made
}

// slot is the open debt of a row, nil for none.
func (l *Ledger) slot(row int32, kind Kind) *slot {
	if i, ok := l.open[keyOf(row, kind)]; ok {
		return &l.slots[i]
	}
	return nil
}

// about is the open debt of a kind that is about something, nil for none.
func (l *Ledger) about(kind Kind, id uint64) *slot {
	if row, ok := l.named[name{kind, id}]; ok && id != 0 {
		return l.slot(row, kind)
	}
	return nil
}

func (l *Ledger) account(session int) *account {
	a := l.accounts[session]
	if a == nil {
		a = &account{first: -1, last: -1, lost: -1, given: -1}
		for i := range a.latest {
			a.latest[i] = -1
		}
		for i := range a.lists {
			a.lists[i] = reads{-1, -1, -1}
		}
		l.accounts[session] = a
	}
	return a
}

// add opens a debt, unless there are too many, or it is open.
func (l *Ledger) add(d *Debt) {
	k := keyOf(d.Row, d.Kind)
	if _, twice := l.open[k]; twice || len(l.open) >= maxOpen || d.Session < Whole {
		return
	}
	if len(l.free) == 0 {
		l.slots = append(l.slots, slot{})
		l.free = append(l.free, int32(len(l.slots)-1))
	}
	i := l.free[len(l.free)-1]
	l.free = l.free[:len(l.free)-1]
	s := &l.slots[i]
	*s = slot{Debt: *d, of: l.account(d.Session)}
	l.open[k] = i
	l.owed[k.kind()]++
	l.link(i)
	if d.id != 0 {
		l.named[name{d.Kind, d.id}] = d.Row
	}
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
	s.of.latest[s.Kind] = s.Row
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
	if s.of.latest[s.Kind] == s.Row {
		s.of.latest[s.Kind] = -1
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
	l.owed[k.kind()]--
	l.free = append(l.free, i)
	d := s.Debt
	d.End, d.EndN, d.EndT = how, n, t
	if at := (name{d.Kind, d.id}); d.id != 0 && l.named[at] == d.Row {
		delete(l.named, at)
	}
	*s = slot{}
	if d.Kind != Response || d.For >= 0 || d.Question >= 0 || d.Heard != 0 || how.GaveUp() || how.Lost() {
		l.remember(d)
	}
}

// remember keeps a closed debt, instead of the oldest when there are too many.
func (l *Ledger) remember(d Debt) {
	if len(l.closed) < maxClosed {
		l.closed = append(l.closed, Debt{Row: -1})
	}
	at := l.next
	l.next = (l.next + 1) % maxClosed
	if old := &l.closed[at]; old.Row >= 0 && l.past[keyOf(old.Row, old.Kind)] == int32(at) {
		delete(l.past, keyOf(old.Row, old.Kind))
	}
	l.closed[at] = d
	l.past[keyOf(d.Row, d.Kind)] = int32(at)
}

// move takes the debts of a row to the session that the row has now. They are all of
// one session.
func (l *Ledger) move(row int32) {
	to := int(l.t.Row(int(row)).Session)
	for kind := range kinds {
		i, ok := l.open[keyOf(row, kind)]
		switch {
		case to < 0 || ok && l.slots[i].Session == to:
			return
		case ok && l.slots[i].Session != Whole:
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

// About is the row of the table that a debt is of.
func (d *Debt) About() *Due {
	for i := range Table {
		if row := &Table[i]; row.Kind == d.Kind && row.Owes == d.Owes {
			return row
		}
	}
	return &Due{}
}
