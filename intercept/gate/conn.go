package gate

import (
	"slices"
	"sync"
	"time"

	"midwire/session/wire"
)

// Carrier is what a proxy does for the gate on one connection, or with one
// process. Its methods may be called by several goroutines, but those of one
// direction by one at a time.
type Carrier interface {
	// Attach has both pumps hand their bytes to the connection from now on, and
	// calls Begin when the observer has got all that they forwarded before.
	Attach(*Conn)
	// Detach has the pumps forward by themselves again. No byte is under way in
	// the connection; next stands for it from now on.
	Detach(next *Conn)
	// Plain does what a pump does without a gate.
	Plain(wire.Dir, []byte) error
	// Received has bytes recorded that came from the sender of that direction.
	Received(wire.Dir, []byte)
	// Write writes towards the receiver of that direction.
	Write(wire.Dir, []byte) error
	// Tell records a gate frame. make is called by the observer, behind all that
	// was received before, with the number of the latest frame of that direction
	// and its exchange; it returns what to record and of which exchange.
	Tell(d wire.Dir, make func(frame uint64, x uint32) (wire.Gate, uint32))
	// Made records our own unit: a line, or an event of the response that is
	// under way.
	Made(d wire.Dir, k wire.Kind, data []byte)
	// Cut ends the connection, outside of what the peers do.
	Cut(How)
	// Kill ends the server.
	Kill()
}

// State is where the framers of an HTTP connection stand.
type State struct {
	Up, Down *wire.HTTPStream
	Waiting  int               // requests whose responses have not ended
	Events   *wire.EventFramer // of the response that is under way, nil when it is no stream
	Partial  [2]bool           // stdio: a line to the server, to the client has begun
}

// Conn is a connection, or the streams of a process, as the gate sees it.
type Conn struct {
	gate    *Gate
	carrier Carrier
	id      uint32
	up      *lane
	down    *lane
	talk    *talk // what is known of the connection itself

	attached bool          // it has left the fast path
	ready    chan struct{} // closed by Begin
	once     *sync.Once
	failed   bool // Begin did not come: it passes
	over     bool // it is on the fast path again
	closed   bool

	exchanges []*exchange // HTTP: whose responses have not ended, in order
}

// Open says that there is a connection, or a process with id 0. When something is
// armed the connection begins in the lanes: armed is true, and Begin must be called
// before any byte comes.
func (g *Gate) Open(id uint32, carrier Carrier) (c *Conn, armed bool) {
	c = &Conn{gate: g, carrier: carrier, id: id, talk: &talk{}}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conns[c] = struct{}{}
	c.reset()
	c.attached = len(g.rules) > 0
	return c, c.attached
}

func (c *Conn) reset() {
	c.ready, c.once = make(chan struct{}), &sync.Once{}
	c.exchanges, c.over, c.failed = nil, false, false
	for _, l := range []**lane{&c.up, &c.down} {
		*l = &lane{conn: c, dir: wire.ToServer, room: sync.NewCond(&c.gate.mu)}
	}
	c.down.dir = wire.ToClient
}

// Begin says where the framers stand of what the lanes will be given next. It may
// be called by the observer.
func (c *Conn) Begin(s State) {
	c.once.Do(func() {
		c.gate.mu.Lock()
		defer c.gate.mu.Unlock()
		if c.gate.tap == "stdio" {
			c.up.reader = &lines{lane: c.up, passing: s.Partial[0]}
			c.down.reader = &lines{lane: c.down, passing: s.Partial[1]}
		} else {
			c.beginHTTP(s)
		}
		close(c.ready)
	})
}

// beginPatience is how long a pump waits for the observer. One that stands still
// for longer is stuck, and the connection passes.
const beginPatience = 2 * time.Second

// wait waits for Begin. False: it did not come, and the connection passes.
func (c *Conn) wait() bool {
	select {
	case <-c.ready:
		return !c.failed
	default:
	}
	select {
	case <-c.ready:
	case <-time.After(beginPatience):
		c.once.Do(func() { c.failed = true; close(c.ready) })
	}
	return !c.failed
}

func (c *Conn) lane(d wire.Dir) *lane {
	if d == wire.ToServer {
		return c.up
	}
	return c.down
}

// Unsent reports whether requests wait here that the server has not got, and it owes nothing
// on the connection: its end of it ends nothing then. The connection may be nil.
func (c *Conn) Unsent() bool {
	if c == nil || !c.wait() {
		return false
	}
	c.gate.mu.Lock()
	defer c.gate.mu.Unlock()
	r, isHTTP := c.down.reader.(*responses)
	if !isHTTP || c.closed || c.over || c.up.open || r.mode != between || len(r.raw) > 0 {
		return false
	}
	waits := func(x *exchange) bool {
		return slices.ContainsFunc(c.up.items, func(it *item) bool { return it.ex == x })
	}
	return slices.ContainsFunc(c.exchanges, waits) && !slices.ContainsFunc(c.exchanges, func(x *exchange) bool {
		return x.answer == nil && !x.silent && !waits(x)
	})
}

// leave puts the connection back on the fast path when nothing is armed and
// nothing is under way. Gate.mu is held.
func (c *Conn) leave() {
	if len(c.gate.rules) > 0 || !c.attached || c.closed || c.over || c.failed {
		return
	}
	for _, l := range []*lane{c.up, c.down} {
		if len(l.items) > 0 || l.open || l.dead || l.err != nil || !l.reader.idle() {
			return
		}
	}
	for _, x := range c.exchanges {
		if x.answer != nil || x.silent || x.cut != nil {
			return
		}
	}
	next := &Conn{gate: c.gate, carrier: c.carrier, id: c.id, talk: c.talk}
	next.reset()
	c.carrier.Detach(next)
	c.over = true
	delete(c.gate.conns, c)
	c.gate.conns[next] = struct{}{}
}

// Close says that the connection is over. What was held on it is gone.
func (c *Conn) Close() {
	g := c.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	delete(g.conns, c)
	for i := len(g.held) - 1; i >= 0; i-- {
		if h := g.held[i]; h.u.lane.conn == c {
			g.discard(h)
		}
	}
	c.up.kill()
	c.down.kill()
}
