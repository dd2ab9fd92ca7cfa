package gate

import (
	"errors"

	"midwire/session/wire"
)

var errNoStream = errors.New("no stream to its client is open")

// make puts our own message into a direction.
func (c *Conn) make(d wire.Dir, on Kind, payload []byte) {
	l := c.lane(d)
	l.sync()
	if on == Line {
		c.carrier.Made(d, wire.KindLine, payload)
		l.add(&item{data: append(append([]byte(nil), payload...), '\n'), ready: true})
	} else {
		r := l.reader.(*responses)
		r.copyChunks()
		block := append(append([]byte("event: message\ndata: "), payload...), '\n', '\n')
		c.carrier.Made(d, wire.KindEvent, block)
		l.add(&item{data: r.framed(block), ready: true})
	}
	c.gate.counts.Injected++
	go l.flush()
}

// streamOf is a connection with an open event stream of a session: one that stays, of
// a GET, else the one at hand, else any.
func (g *Gate) streamOf(c *Conn, t *talk) *Conn {
	open := func(c *Conn) bool {
		if c.down == nil || c.down.reader == nil || c.down.dead || c.closed {
			return false
		}
		r, ok := c.down.reader.(*responses)
		return ok && r.mode == stream && !r.lane.ended
	}
	for o := range g.conns {
		if open(o) && o.exchange().verb == "GET" && (t == nil || o.exchange().talk == t) {
			return o
		}
	}
	if c != nil && open(c) {
		return c
	}
	for o := range g.conns {
		if open(o) && (t == nil || o.exchange().talk == t) {
			return o
		}
	}
	return nil
}

// inject puts our own message on the way: on a stdio server in either
// direction, over HTTP to the client on a stream of the session.
func (g *Gate) inject(c *Conn, t *talk, d wire.Dir, payload []byte, e wire.Gate) error {
	on := Line
	if g.tap == "http" {
		if d == wire.ToServer {
			return errors.New("over HTTP nothing is injected to the server: midwire replay sends it requests, and r on the screen")
		}
		if c = g.streamOf(c, t); c == nil {
			return errNoStream
		}
		on = Event
	}
	if c == nil || c.closed || c.lane(d).dead {
		return errors.New("its connection is over")
	}
	e.What, e.Made = wire.GateInject, 1
	c.tell(d, e)
	c.make(d, on, payload)
	return nil
}

// injectBehind puts a message behind a unit, in its direction.
func (g *Gate) injectBehind(u *unit, a *armed) {
	d := u.lane.dir
	if g.tap == "http" {
		d = wire.ToClient
	}
	if err := g.inject(u.lane.conn, u.talk, d, a.Do.JSON, a.event("")); err != nil {
		u.tell(a.passes(err.Error()))
	}
}
