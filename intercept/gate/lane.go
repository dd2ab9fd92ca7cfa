package gate

import (
	"sync"
	"time"

	"midwire/session/defect"
	"midwire/session/wire"
)

// lane is one direction of a connection that has left the fast path: what was
// decided about its units stands in items, in the order in which it goes out.
type lane struct {
	conn   *Conn
	dir    wire.Dir
	reader reader
	items  []*item
	size   int  // bytes in items
	open   bool // part of a unit was written, and the rest of it must follow
	dead   bool // nothing more goes out
	ended  bool // the source has ended
	err    error
	room   *sync.Cond // on Gate.mu: items went out, or the lane died

	fresh []byte // taken, and not recorded yet

	since time.Time // when bytes came

	writing sync.Mutex // held by who writes; never taken with Gate.mu held
}

// reader cuts what a lane is given into units.
type reader interface {
	// feed takes bytes: it has them recorded and appends items. Gate.mu is held.
	feed(p []byte)
	// rest passes on what is held back of a unit that will not be completed.
	rest()
	// begun reports whether a unit has begun and is held back.
	begun() bool
	// give lets the unit pass that has begun.
	give()
	// idle reports whether everything received went out as it came.
	idle() bool
}

// item is some bytes that go out, or that wait.
type item struct {
	data  []byte
	ready bool
	block bool   // what follows waits for it
	more  bool   // the rest of its unit follows
	cont  bool   // it continues a unit
	last  bool   // everything before must be gone: the end of a response
	after func() // called when it is written, outside of Gate.mu
	ex    *exchange
}

// take notes the next n bytes of what the lane was given as received. They are
// recorded before any gate frame about them: one handing over costs less than many.
func (l *lane) take(p []byte, n int) {
	if l.fresh == nil {
		l.fresh = p[:n]
	} else {
		l.fresh = l.fresh[:len(l.fresh)+n] // p continues it
	}
}

// sync has recorded what was taken.
func (l *lane) sync() {
	if len(l.fresh) > 0 {
		l.conn.carrier.Received(l.dir, l.fresh)
	}
	l.fresh = nil
}

func (l *lane) add(it *item) {
	if !l.dead {
		l.items = append(l.items, it)
		l.size += len(it.data)
	}
}

// pass appends bytes that go out as they are. more says that their unit is not
// complete, cont that they continue one.
func (l *lane) pass(p []byte, more, cont bool) {
	if len(p) > 0 {
		l.add(&item{data: p, ready: true, more: more, cont: cont})
	}
}

// Feed takes what the pump of a direction has read. With again the connection is not in
// the path any more, and the pump shall look again who is. It writes what may be forwarded and
// returns when there is room for more.
func (c *Conn) Feed(d wire.Dir, p []byte) (again bool, err error) {
	l := c.lane(d)
	if !c.wait() {
		return false, c.carrier.Plain(l.dir, p)
	}
	g := c.gate
	g.mu.Lock()
	if c.over {
		g.mu.Unlock()
		return true, nil
	}
	l.reader.feed(p)
	l.sync()
	if l.reader.begun() && !l.dead {
		l.since = time.Now()
		g.watch()
	}
	g.mu.Unlock()
	err = l.flush()
	g.mu.Lock()
	defer g.mu.Unlock()
	for l.size > maxBehind && !l.dead && l.err == nil && !c.closed {
		l.room.Wait()
	}
	c.leave()
	if err == nil {
		err = l.err
	}
	return false, err
}

// The rest of a unit may take 150 ms. Then what is there of it passes, and no one is
// kept waiting by a rule that may not even be for it.
const (
	patience = 100 * time.Millisecond
	look     = 50 * time.Millisecond
)

// watch looks for units that do not come to their end, as long as there are some that
// have begun. One timer for all: setting one for each costs more than a message.
func (g *Gate) watch() {
	if !g.watching {
		g.watching = true
		time.AfterFunc(look, g.impatient)
	}
}

func (g *Gate) impatient() {
	g.mu.Lock()
	g.watching = false
	var late []*lane
	for c := range g.conns {
		for _, l := range []*lane{c.up, c.down} {
			if l.reader == nil || l.ended || l.dead || !l.reader.begun() {
				continue
			}
			if time.Since(l.since) < patience {
				g.watch()
				continue
			}
			c.tell(l.dir, wire.Gate{What: wire.GatePass, Why: "the rest of a message did not come within 150 ms: it is not looked at"})
			l.reader.give()
			late = append(late, l)
		}
	}
	g.mu.Unlock()
	flushAll(late)
}

// End is called by the pump when its source has ended, or has failed with err. It returns
// when nothing waits any more. With the client the wait for a decision ends.
func (c *Conn) End(d wire.Dir, err error) {
	l := c.lane(d)
	if !c.wait() {
		return
	}
	g := c.gate
	g.mu.Lock()
	if c.over || c.closed {
		g.mu.Unlock()
		return
	}
	l.reader.rest()
	l.ended = true
	var lanes []*lane
	if l.dir == wire.ToServer {
		lanes = g.clientLeft(c, err != nil)
	}
	g.mu.Unlock()
	flushAll(lanes)
	_ = l.flush()
	g.mu.Lock()
	defer g.mu.Unlock()
	for err == nil && len(l.items) > 0 && !l.dead && l.err == nil && !c.closed {
		l.room.Wait()
	}
}

// flush writes what may go out. One goroutine at a time writes; the others wait.
func (l *lane) flush() (err error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	defer defect.Fails("the gate of a connection", &err)
	g := l.conn.gate
	for {
		data, after, err := l.next()
		if data == nil && after == nil {
			return err
		}
		if len(data) > 0 && err == nil {
			err = l.conn.carrier.Write(l.dir, data)
		}
		if after != nil {
			after()
		}
		if err != nil {
			g.mu.Lock()
			l.err, l.items, l.size = err, nil, 0
			l.room.Broadcast()
			g.mu.Unlock()
			return err
		}
	}
}

// next takes what can be written now off the list, joined: what came in one piece goes out
// in one. It says what to do behind it, and why nothing can be written.
func (l *lane) next() (data []byte, after func(), err error) {
	l.conn.gate.mu.Lock()
	defer l.conn.gate.mu.Unlock()
	kept, joined, stop := l.items[:0], false, false
	for _, it := range l.items {
		switch {
		case stop:
		case l.open != it.cont: // not in the middle of a unit
		case it.last && len(kept) > 0, !it.ready && it.block:
			stop = true
		case !it.ready:
		default:
			if l.open = it.more; data == nil {
				data = it.data
			} else if joined {
				data = append(data, it.data...)
			} else {
				data, joined = append(append(make([]byte, 0, l.size), data...), it.data...), true
			}
			if data == nil {
				data = []byte{}
			}
			l.size -= len(it.data)
			after = it.after
			stop = after != nil
			continue
		}
		kept = append(kept, it)
	}
	clear(l.items[len(kept):])
	l.items = kept
	l.room.Broadcast()
	return data, after, l.err
}

// kill ends the lane: what is still to go out does not.
func (l *lane) kill() {
	l.dead, l.items, l.size = true, nil, 0
	l.room.Broadcast()
}
