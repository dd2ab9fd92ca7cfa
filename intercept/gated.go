package intercept

import (
	"time"

	"midwire/intercept/gate"
	"midwire/session/wire"
)

// carrier is what the gate has of one connection, or of the streams of a process.
type carrier struct {
	tap  *Tap
	id   uint32   // of the connection
	up   *pump    // to the server
	down *pump    // to the client
	seen gateSeen // what the observer knows

	cut  func(gate.How)
	kill func(code int)

	conn   *gate.Conn // guarded by queue.mu
	before [2]int64   // moves of the pumps when they last forwarded by themselves; guarded by queue.mu
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
	ours()
}

// withGate gives the tap a gate, which may be nil. It is called before anything is
// tapped.
func (t *Tap) withGate(g *gate.Gate) {
	if t.gate = g; g != nil {
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
		p.gated, c.before[i] = conn, p.plain
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
	c.tap.q.mu.Lock()
	before := c.before[0]
	if d == wire.ToClient {
		before = c.before[1]
	}
	c.tap.q.mu.Unlock()
	p := c.pump(d)
	for before > 0 && p.moves.Load() <= before {
		time.Sleep(time.Millisecond)
	}
	return p.write(b)
}

// Tell implements gate.Carrier.
func (c *carrier) Tell(d wire.Dir, make func(uint64, uint32) (wire.Gate, uint32)) {
	c.tap.q.do(c.tap.now(), func(t int64) {
		e, x := make(c.seen.latest(d))
		if e.What == wire.GateAnswer {
			c.seen.ours()
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
func (c *carrier) Kill(code int) { c.kill(code) }

// gateNote records what the gate does that is about no connection.
func (t *Tap) gateNote(e wire.Gate) {
	t.q.do(t.now(), func(at int64) { t.append(at, wire.Frame{Kind: wire.KindGate, Data: e.JSON()}) })
}

// httpSeen is what the observer knows of an HTTP connection.
type httpSeen struct{ *exchanges }

func (s httpSeen) state() gate.State {
	st := gate.State{Up: s.up.Clone(), Down: s.down.Clone(), Waiting: len(s.waiting)}
	if len(s.waiting) > 0 && s.waiting[0].events != nil {
		st.Events = s.waiting[0].events.Clone()
	}
	return st
}

func (s httpSeen) latest(d wire.Dir) (uint64, uint32) {
	if d == wire.ToServer {
		return s.lastUp.n, s.lastUp.x
	}
	return s.lastDown.n, s.lastDown.x
}

func (s httpSeen) made(t int64, d wire.Dir, k wire.Kind, data []byte) {
	var x uint32
	if len(s.waiting) > 0 {
		x = s.waiting[0].x
	}
	s.frame(t, x, k, d, wire.Whole, data)
}

func (s httpSeen) ours() { s.answers++ }

// lineSeen is what the observer knows of the streams of a process.
type lineSeen struct{ up, down *lineStream }

func (s lineSeen) of(d wire.Dir) *lineStream {
	if d == wire.ToServer {
		return s.up
	}
	return s.down
}

func (s lineSeen) state() gate.State {
	return gate.State{Partial: [2]bool{s.up.begun(), s.down.begun()}}
}

func (s lineSeen) latest(d wire.Dir) (uint64, uint32) { return s.of(d).last, 1 }

func (s lineSeen) made(t int64, d wire.Dir, k wire.Kind, data []byte) {
	s.of(d).tap.append(t, wire.Frame{Kind: k, Dir: d, X: 1, EOL: "\n", Data: data})
}

func (lineSeen) ours() {}
