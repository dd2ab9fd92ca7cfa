package session

import (
	"slices"
	"sort"

	"midwire/session/defect"
	"midwire/session/encoding"
	"midwire/session/outline"
	"midwire/session/wire"
)

// Options say how a Tracker groups what it sees.
type Options struct {
	// Tap is the kind of tap that made the frames, "stdio" or "http", as the
	// recording states it. Empty means that it shows from the frames.
	Tap string
	// Watch, if it is set, gets what the tracker understands, at once,
	// in the order of the frames. It may read the tracker, and not change it.
	Watch func(*Event)
}

// Tracker turns the frames of one tap into sessions and rows. The zero value is
// not usable; New returns one. It keeps no bytes of the frames it is given.
type Tracker struct {
	*store

	dir     directory
	process process
	conns   map[uint32]*conn
	closed  uint32 // the highest exchange that has ended
	open    map[uint32]*exchange
	held    int // bytes, by what is open
	free    []*exchange
	budget  encoding.Budget // for reading what is compressed
	batches [2]batch        // what Message read last, to the server and to the client

	watch   func(*Event)
	emitted Event
	lastEnd struct { // the latest end of an exchange, as farewell read it
		data, by string
		clean    bool
	}
	ahead    *Ahead           // of the frame in hand, nil unless someone has read it
	outlines outline.Outlines // of messages that nobody read ahead
	own      Ahead            // in its place
	batched  bool             // the message in hand came in an array
	whole    []byte           // the payload in hand, joined and decoded

	f   *wire.Frame // the frame in hand, during Apply only
	src source      // of the message in hand
	// latest is the time of the last frame.
	latest int64
	step   Step
	making [2]int // messages to the server, to the client that are announced as the gate's own
	killed bool   // by the gate: the server
	buf    []byte // scratch for keys
}

// store is all that readers of a Tracker read.
type store struct {
	rows    rowStore
	names   nameTable
	groups  []*group
	list    []*Session
	loose   []uint32
	dirty   []int32                    // groups whose steps must be made again
	codings map[uint32]encoding.Coding // frames whose payload is compressed
	pieces  map[uint32][]byte          // messages that were read when a piece of a compressed stream came
	kept    int                        // bytes of them
	inPiece int                        // position of the latest
	touched map[int32]Touch            // rows that a gate touched
	deeds   map[uint32][]Deed          // what it did to their messages, by their first frame
	gated   map[uint64]bool            // frames of what it did, and of its consequences
	defects []*defect.Defect           // midwire's own, while frames were applied
}

// New returns a Tracker that has seen nothing.
func New(opts Options) *Tracker {
	names := nameTable{list: []string{"", "…"}, index: map[string]uint32{"": 0}}
	s := &store{names: names, codings: map[uint32]encoding.Coding{}, pieces: map[uint32][]byte{}}
	s.touched, s.gated, s.deeds = map[int32]Touch{}, map[uint64]bool{}, map[uint32][]Deed{}
	return &Tracker{
		store: s,
		watch: opts.Watch,
		conns: map[uint32]*conn{},
		open:  map[uint32]*exchange{},
		dir: directory{
			ids: map[string]int32{}, endpoints: map[string]int32{},
			clients: map[uint64]int32{}, talks: map[string]int32{},
			agents: map[uint64]int32{}, paths: map[uint32]bool{}, leads: map[uint32]uint32{},
		},
		process: noProcess(),
	}
}

// Apply takes the next frame and returns what it changed. Frames come in the
// order of their numbers. The frame and its bytes are not kept. A panic ends what
// is made of this frame and no more; Defects has it.
func (t *Tracker) Apply(f *wire.Frame) (step Step) {
	defer defect.Recover("the reading of sessions", f.N, func(d *defect.Defect) {
		t.failed(d)
		t.f, t.ahead, t.whole, t.emitted = nil, nil, nil, Event{}
		step = Step{Session: -1, First: -1}
	})
	return t.apply(f)
}

// maxDefects bounds how many defects are kept, each place of the program once.
const maxDefects = 16

// failed keeps a defect.
func (t *Tracker) failed(d *defect.Defect) {
	same := func(other *defect.Defect) bool { return other.Key() == d.Key() }
	if len(t.defects) < maxDefects && !slices.ContainsFunc(t.defects, same) {
		t.defects = append(t.defects, d)
	}
}

// Defects are the panics of midwire itself while it read the frames so far: what it
// shows of those frames is not complete.
func (t *Tracker) Defects() []*defect.Defect { return t.defects }

func (t *Tracker) apply(f *wire.Frame) Step {
	if f.T < t.latest { // not of our making: no duration is below zero
		late := *f
		late.T = t.latest
		f = &late
	}
	t.f, t.latest = f, f.T
	t.src = source{frame: uint32(f.N), t: f.T, len: clampLen(f.Len)}
	t.step = Step{Session: -1, First: -1, Changed: t.step.Changed[:0]}
	switch f.Kind {
	case wire.KindLine, wire.KindStderr, wire.KindStart, wire.KindExit, wire.KindSignal:
		t.applyProcess(f)
	case wire.KindOpen, wire.KindRequest, wire.KindResponse, wire.KindBody, wire.KindEvent, wire.KindTrailer:
		t.applyHTTP(f)
	case wire.KindClose:
		t.applyClose(f)
	case wire.KindRaw:
		t.applyRaw(f)
	case wire.KindEdit, wire.KindGate, wire.KindGap, wire.KindNote:
		t.applyTap(f)
	}
	t.made(f)
	t.f, t.ahead, t.whole = nil, nil, nil
	t.emitted.Frame, t.emitted.Data, t.emitted.Message = nil, nil, wire.Message{}
	return t.step
}

// applyClose distinguishes the three kinds of close by what is known.
func (t *Tracker) applyClose(f *wire.Frame) {
	switch {
	case f.Conn == 0 && f.Dir != wire.NoDir && t.open[f.X] == nil:
		t.closePipe(f)
	case f.X != 0:
		t.closeExchange(f.X, f)
	default:
		t.closeConn(f)
	}
}

// Sessions returns the sessions in order of first appearance. The slice and
// what it points to belong to the tracker and change with the next Apply.
func (t *Tracker) Sessions() []*Session {
	for _, i := range t.dirty {
		t.groups[i].refresh()
	}
	t.dirty = t.dirty[:0]
	return t.list
}

// Session returns the session with that index, nil when there is none. It
// belongs to the tracker and changes with the next Apply.
func (t *Tracker) Session(i int) *Session {
	if i < 0 || i >= len(t.list) {
		return nil
	}
	return t.Sessions()[i]
}

// Loose returns the rows that belong to no session, in order. The slice
// belongs to the tracker and is valid until the next Apply.
func (t *Tracker) Loose() []uint32 { return t.loose }

// Rows is the number of rows.
func (t *Tracker) Rows() int { return t.rows.n }

// Row returns row i, from 0. It belongs to the tracker and is valid until the
// next Apply; i must be less than Rows.
func (t *Tracker) Row(i int) *Row { return t.rows.row(i) }

// RowAt is the index of the row that a frame began or responded to, -1 for none. A
// response that came very long after its request is not found.
func (t *Tracker) RowAt(n uint64) int {
	i := sort.Search(t.rows.n, func(i int) bool { return uint64(t.rows.row(i).Request) >= n })
	if i < t.rows.n && uint64(t.rows.row(i).Request) == n {
		return i
	}
	for k := i - 1; k >= max(0, i-recent); k-- {
		if uint64(t.rows.row(k).Response) == n && n != 0 {
			return k
		}
	}
	return -1
}

// Name returns a name that a row refers to, "" for a number it does not know.
func (t *Tracker) Name(i uint32) string { return t.names.name(i) }

// addRow appends a row to a session, or to the loose ones when g is nil, and
// returns its index.
func (t *Tracker) addRow(r Row, g *group) int32 {
	r.Session = -1
	if g != nil {
		r.Session = int32(g.Index)
	}
	i := t.rows.add(r)
	if t.step.First < 0 {
		t.step.First = i
	}
	t.step.Added++
	if g == nil {
		t.loose = append(t.loose, uint32(i))
		return int32(i)
	}
	g.rows = append(g.rows, uint32(i))
	t.touch(g)
	return int32(i)
}

// newRow fills in what every row takes from the frame in hand.
func (t *Tracker) newRow(kind RowKind, d wire.Dir) Row {
	f := t.f
	return Row{
		Request: uint32(f.N), Kind: kind, Dir: d, Parent: -1,
		Conn: f.Conn, X: f.X, T: f.T, Len: clampLen(f.Len),
	}
}

// changed notes that an older row is different now.
func (t *Tracker) changed(row int32) {
	i := int(row)
	recent := t.step.Changed[max(0, len(t.step.Changed)-8):]
	if t.step.First >= 0 && i >= t.step.First || slices.Contains(recent, i) {
		return
	}
	t.step.Changed = append(t.step.Changed, i)
}

// touch notes that a frame belongs to a session.
func (t *Tracker) touch(g *group) {
	if t.step.Session < 0 {
		t.step.Session = g.Index
	}
	g.Last = t.f.T
	t.markDirty(g)
}

// markDirty notes that the steps of a session may be different now.
func (t *Tracker) markDirty(g *group) {
	if !g.dirty {
		g.dirty = true
		t.dirty = append(t.dirty, int32(g.Index))
	}
}

// groupAt returns the group with that index, nil for -1.
func (t *Tracker) groupAt(i int32) *group {
	if i < 0 {
		return nil
	}
	return t.groups[i]
}

// move puts a row into another session, or out of none into one.
func (t *Tracker) move(row int32, to *group) {
	r := t.rows.row(int(row))
	if r.Session == int32(to.Index) {
		return
	}
	rows := &t.loose
	if from := t.groupAt(r.Session); from != nil {
		rows = &from.rows
		if r.Kind == RowCall {
			t.moveCall(row, r, from, to)
		}
		t.markDirty(from)
	}
	if i, ok := slices.BinarySearch(*rows, uint32(row)); ok {
		*rows = slices.Delete(*rows, i, i+1)
	}
	at, _ := slices.BinarySearch(to.rows, uint32(row))
	to.rows = slices.Insert(to.rows, at, uint32(row))
	r.Session = int32(to.Index)
	t.step.Session = to.Index
	t.changed(row)
	t.touch(to)
}

// moveCall moves what is counted of a call that has not got its response.
func (t *Tracker) moveCall(row int32, r *Row, from, to *group) {
	from.Messages, to.Messages = from.Messages-1, to.Messages+1
	from.Calls, to.Calls = from.Calls-1, to.Calls+1
	if r.Ending.Open() {
		from.Pending, to.Pending = from.Pending-1, to.Pending+1
		t.unpend(from, row, r)
		to.scope.add(r.Dir, []byte(t.Name(r.ID)), row)
	}
}

func clampLen(n int) uint32 {
	if n < 0 {
		return 0
	}
	return uint32(min(int64(n), 1<<32-1))
}

func moment(f *wire.Frame) mark { return mark{f.N, f.T} }

// mark is the message in hand, by the number that its row has.
func (t *Tracker) mark() mark { return mark{uint64(t.src.frame), t.src.t} }
