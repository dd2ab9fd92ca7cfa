package intercept

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"time"

	"midwire/intercept/gate"
	"midwire/intercept/spawn"
	"midwire/session/defect"
	"midwire/session/wire"
)

// pump forwards one direction of one stream: every byte that moves through a
// tap moves in run.
type pump struct {
	tap  *Tap
	src  source
	dst  io.Writer
	to   stream
	dir  wire.Dir
	edit editor // nil when nothing can need an edit

	gated *gate.Conn // who gets the bytes in place of dst, nil for no one; guarded by queue.mu
	plain int64      // moves when the last bytes went to dst directly; guarded by queue.mu

	// moves counts the reads and writes that are over. It is odd while bytes
	// that were read are not written yet.
	moves atomic.Int64
	last  atomic.Int64 // when bytes last came

	gone error // of a write before run; nil for none
}

// editor stands in the path where a head or an event must be changed. It is
// given what was read and returns what to write; it may hold back bytes of a
// unit that it must see whole. With errRefused nothing more is forwarded.
type editor interface {
	edit(p []byte) ([]byte, error)
	// rest returns what is held back when nothing more comes.
	rest() []byte
}

// errRefused says that an editor answered a request itself.
var errRefused = errors.New("refused by midwire")

// errWrite says that the side written to is gone.
type errWrite struct{ error }

func (e errWrite) Unwrap() error { return e.error }

// run forwards until the source ends or a side fails. It returns nil at the
// end of the source, an errWrite when the destination is gone, errRefused, and
// the error of the source otherwise.
//
// The observer is given its copy before the bytes are written: otherwise an
// answer could be observed before the question it answers. The copy is a
// memory move of some nanoseconds and waits for nothing.
func (p *pump) run() (err error) {
	// Where nothing stands in the path nothing can panic; a gate or an editor that
	// does ends this connection and no other.
	defer defect.Recover("the forwarding of a connection", 0, func(d *defect.Defect) {
		p.tap.tellTrouble(d)
		err = d
	})
	err = p.copy()
	var gone errWrite
	if c := p.tap.q.gateOf(p); c != nil && !errors.As(err, &gone) {
		c.End(p.dir, err)
	}
	if p.edit == nil || errors.As(err, &gone) || errors.Is(err, errRefused) {
		return err
	}
	// A unit that was cut off arrives as far as it came.
	if held := p.edit.rest(); len(held) > 0 {
		if _, e := p.dst.Write(held); e != nil && err == nil {
			return errWrite{e}
		}
	}
	return err
}

// busy says that bytes are being written that came before run, and resume that they are.
func (p *pump) busy() { p.moves.Store(1) }

// resume has run begin where another copy was taken over.
func (p *pump) resume(from spawn.Rest) {
	p.moves.Store(p.moves.Load() * 2)
	p.gone = from.WriteErr
	if len(from.Read) > 0 || from.ReadErr != nil {
		p.src = &resumed{source: p.src, read: from.Read, err: from.ReadErr}
	}
}

func (p *pump) copy() error {
	if p.gone != nil {
		return errWrite{p.gone}
	}
	for {
		b, err := p.src.next()
		if len(b) > 0 {
			if err := p.forward(b); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			// The second is TLS that ended without saying so. Many servers do.
			return nil
		case err != nil:
			return err
		}
	}
}

func (p *pump) forward(b []byte) error {
	now := p.tap.now()
	p.last.Store(now)
	p.moves.Add(1)
	defer p.moves.Add(1)
	for c := p.tap.q.offer(p, now, b); c != nil; c = p.tap.q.offer(p, now, b) {
		if again, err := c.Feed(p.dir, b); !again {
			return err
		}
	}
	return p.write(b)
}

// write writes to the other side, by way of the editor.
func (p *pump) write(b []byte) error {
	if p.edit != nil {
		var err error
		if b, err = p.edit.edit(b); err != nil {
			return err
		}
	}
	if len(b) == 0 {
		return nil
	}
	if _, err := p.dst.Write(b); err != nil {
		return errWrite{err}
	}
	return nil
}

// carrier is what the gate has of one connection, or of the streams of a process.
type carrier struct {
	tap  *Tap
	id   uint32   // of the connection
	up   *pump    // to the server
	down *pump    // to the client
	seen gateSeen // what the observer knows

	cut  func(gate.How)
	kill func()

	conn   *gate.Conn      // guarded by queue.mu
	before [2]atomic.Int64 // moves of the pumps when they last forwarded by themselves
}

// gateSeen is the part of the observer that the gate asks. All is called in the
// observer's goroutine.
type gateSeen interface {
	// state says where the framers stand.
	state() gate.State
	// latest is the last frame of a direction and its exchange.
	latest(d wire.Dir) (frame uint64, x uint32)
	// made records a unit of the gate's own.
	made(t int64, d wire.Dir, k wire.Kind, data []byte)
	// ours says that the next response is of the gate's own.
	countAnswer()
}

// withGate gives the tap a gate, which may be nil. It is called before anything is
// tapped.
func (t *Tap) withGate(g *gate.Gate) {
	if t.gate = g; g != nil {
		t.q.do(t.now(), func(int64) { g.Records(t.rec) })
		g.Bind(t.gateNote)
	}
}

// join puts a carrier before the gate, if this tap has one. It is called before any
// byte has come, and the result closed behind the last.
func (t *Tap) join(c *carrier) (leave func()) {
	if t.gate == nil {
		return func() {}
	}
	conn, armed := t.gate.Open(c.id, c)
	t.q.mu.Lock()
	if c.conn == nil { // it was not armed meanwhile
		c.conn = conn
	}
	if armed {
		c.up.gated, c.down.gated = conn, conn
	}
	t.q.mu.Unlock()
	if armed {
		conn.Begin(c.seen.state()) // nothing was observed yet
	}
	return func() {
		t.q.mu.Lock()
		conn := c.conn
		t.q.mu.Unlock()
		conn.Close()
	}
}

// Attach implements gate.Carrier. What the pumps have put into the queue so far
// they forward themselves; what comes later they hand over. So the observer's
// framers, once it is here, stand where the gate begins.
func (c *carrier) Attach(conn *gate.Conn) {
	q := c.tap.q
	q.mu.Lock()
	defer q.mu.Unlock()
	c.conn = conn
	for i, p := range []*pump{c.up, c.down} {
		p.gated = conn
		c.before[i].Store(p.plain)
	}
	q.items = append(q.items, observed{t: c.tap.now(), do: func(int64) { conn.Begin(c.seen.state()) }})
	q.asleep = false
	q.hurry()
}

// Detach implements gate.Carrier.
func (c *carrier) Detach(next *gate.Conn) {
	q := c.tap.q
	q.mu.Lock()
	defer q.mu.Unlock()
	c.up.gated, c.down.gated, c.conn = nil, nil, next
}

func (c *carrier) pump(d wire.Dir) *pump {
	if d == wire.ToServer {
		return c.up
	}
	return c.down
}

// Plain implements gate.Carrier.
func (c *carrier) Plain(d wire.Dir, b []byte) error {
	c.Received(d, b)
	return c.pump(d).write(b)
}

// Received implements gate.Carrier.
func (c *carrier) Received(d wire.Dir, b []byte) { c.tap.q.put(c.pump(d).to, c.tap.now(), b) }

// Write implements gate.Carrier. It waits for what the pump may still be writing
// by itself.
func (c *carrier) Write(d wire.Dir, b []byte) error {
	before := &c.before[0]
	if d == wire.ToClient {
		before = &c.before[1]
	}
	p := c.pump(d)
	for m := before.Load(); m > 0 && p.moves.Load() <= m; {
		time.Sleep(time.Millisecond)
	}
	return p.write(b)
}

// Tell implements gate.Carrier.
func (c *carrier) Tell(d wire.Dir, make func(uint64, uint32) (wire.Gate, uint32)) {
	c.tap.q.do(c.tap.now(), func(t int64) {
		e, x := make(c.seen.latest(d))
		if e.What == wire.GateAnswer {
			c.seen.countAnswer()
		}
		c.tap.append(t, wire.Frame{Kind: wire.KindGate, Dir: d, Conn: c.id, X: x, Data: e.JSON()})
	})
}

// Made implements gate.Carrier.
func (c *carrier) Made(d wire.Dir, k wire.Kind, data []byte) {
	c.tap.q.do(c.tap.now(), func(t int64) { c.seen.made(t, d, k, data) })
}

// Cut implements gate.Carrier.
func (c *carrier) Cut(how gate.How) { c.cut(how) }

// Kill implements gate.Carrier.
func (c *carrier) Kill() { c.kill() }

// gateNote records what the gate does that is about no connection.
func (t *Tap) gateNote(e wire.Gate) {
	t.q.do(t.now(), func(at int64) { t.append(at, wire.Frame{Kind: wire.KindGate, Data: e.JSON()}) })
}

// stall is a pump whose write may not return, as the observer sees it.
type stall struct {
	pump     *pump
	to       *lineStream // of the pump
	src      *os.File    // what it reads
	of       string      // stdin, stdout or stderr of the server
	by       string      // who should read
	moves    int64       // of the pump, at the last look
	reported int64       // how long the write had taken when it was said last, 0 for not yet
}

// stallAfter is how long a write may take. A peer that reads takes microseconds.
var stallAfter = 5 * time.Second

// busy reports whether the pump is writing.
func (s *stall) busy() bool { return s.pump.moves.Load()%2 == 1 }

// look says what is not read, first when it has waited for a while, then each time that it
// has waited twice as long, and at the end of all.
func (s *stall) look(t *Tap, atEnd bool) {
	moves := s.pump.moves.Load()
	waited := t.now() - s.pump.last.Load()
	if isGated := t.q.gateOf(s.pump) != nil; moves != s.moves || moves%2 == 0 || isGated {
		s.moves, s.reported = moves, 0
		return
	}
	if waited < int64(stallAfter) || !atEnd && waited < 2*s.reported {
		return
	}
	s.reported = waited
	text := "the " + s.by + " has not read " + s.of + " of the server for " + time.Duration(waited).Round(time.Second).String()
	if s.by == wire.ByServer {
		text = "the server has not read its stdin for " + time.Duration(waited).Round(time.Second).String()
	}
	what := wire.Stall{By: s.by, Of: s.of, Bytes: s.to.fed + unread(s.src), MS: waited / int64(time.Millisecond)}
	f := wire.Frame{Kind: wire.KindNote, Dir: s.pump.dir, X: 1}
	t.fact(t.now(), f, wire.Note{Text: text, Stall: &what})
	t.rec.Flush()
}
