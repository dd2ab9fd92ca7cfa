package gate

import (
	"fmt"
	"slices"
	"time"

	"midwire/session/wire"
)

type held struct {
	id    int
	item  *item
	u     *unit
	rule  *armed
	owner string
	since time.Time
	until time.Time // zero: until someone decides
	timer *time.Timer
	late  bool // it waits for another message to pass
}

// which lists those of the held that are as wanted, in order.
func (g *Gate) which(wanted func(*held) bool) (all []*held) {
	for _, h := range g.held {
		if wanted(h) {
			all = append(all, h)
		}
	}
	return all
}

// hold keeps an item. For 0 it waits until someone decides. It returns false when
// too much is held already.
func (g *Gate) hold(u *unit, it *item, a *armed, wait time.Duration) bool {
	if len(g.held) >= maxHeld || g.bytes+len(u.raw) > maxBytes {
		return false
	}
	g.lastID++
	h := &held{id: g.lastID, item: it, u: u, rule: a, owner: a.owner, since: time.Now()}
	it.ready, it.block = false, !u.passable()
	g.held = append(g.held, h)
	g.bytes += len(u.raw)
	g.counts.Held++
	if wait > 0 {
		h.until = h.since.Add(wait)
		h.timer = time.AfterFunc(wait, func() { g.expired(h) })
	}
	g.changed()
	return true
}

// expired ends the wait of a unit whose time has come.
func (g *Gate) expired(h *held) {
	g.mu.Lock()
	lanes := g.release([]*held{h}, "", "its time had come")
	g.mu.Unlock()
	flushAll(lanes)
}

// release lets go of units, in order, and returns the lanes that have to be
// flushed. why says what released them, "" when someone decided it.
func (g *Gate) release(free []*held, by, why string) (lanes []*lane) {
	for _, h := range free {
		if !g.forget(h) {
			continue
		}
		h.item.ready, h.item.data = true, h.u.frame()
		h.u.lane.size += len(h.item.data)
		g.counts.Released++
		h.u.tell(wire.Gate{What: wire.GateRelease, ID: h.id, MS: time.Since(h.since).Milliseconds(), By: by, Why: why})
		if !slices.Contains(lanes, h.u.lane) {
			lanes = append(lanes, h.u.lane)
		}
	}
	return lanes
}

// left ends what waits on a connection whose client has left: what it said before
// continues, as it would have, and nothing does when the connection broke. What only waits
// for its time still does.
func (g *Gate) left(c *Conn, broke bool) (lanes []*lane) {
	free := g.which(func(h *held) bool { return h.u.lane.conn == c && (broke || h.until.IsZero()) })
	if !broke {
		return g.release(free, "", "its client has left")
	}
	for _, h := range free {
		g.gone(h)
		h.item.ready, h.item.data = true, nil
	}
	return []*lane{c.up, c.down}
}

// gone drops a unit whose connection has ended.
func (g *Gate) gone(h *held) {
	if g.forget(h) {
		h.u.tell(wire.Gate{What: wire.GateGone, ID: h.id, MS: time.Since(h.since).Milliseconds()})
	}
}

// forget takes a unit off the list of those that wait. False: it is not there.
func (g *Gate) forget(h *held) bool {
	i := slices.Index(g.held, h)
	if i < 0 {
		return false
	}
	g.held = slices.Delete(g.held, i, i+1)
	g.bytes -= len(h.u.raw)
	if h.timer != nil {
		h.timer.Stop()
	}
	g.changed()
	return true
}

// flushAll writes what was released, each lane in its own goroutine: a peer
// that does not read must not keep the others waiting.
func flushAll(lanes []*lane) {
	for _, l := range lanes {
		go l.flush()
	}
}

// lease is what the rules of a controller live by: as long as it is heard of.
type lease struct {
	name  string
	every time.Duration // it must be heard of that often
	timer *time.Timer
	lost  chan struct{} // closed when it has ended
}

// Bounds of the patience with a controller.
const (
	usualPatience = 15 * time.Second
	mostPatience  = time.Hour
	slowest       = 5 * time.Second // for a request
	maxScenario   = 1 << 20
)

// Lease begins a lease. The controller must be heard of within patience, again and
// again; else all that it armed is disarmed and what that held is released. The
// error is for too many of them.
func (g *Gate) Lease(patience time.Duration) (name string, lost <-chan struct{}, err error) {
	if patience <= 0 {
		patience = usualPatience
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.leases) >= maxLeases {
		return "", nil, fmt.Errorf("%d controllers hold leases here: end one first", maxLeases)
	}
	g.lastID++
	l := &lease{
		name: fmt.Sprintf("c%d", g.lastID), every: min(patience, mostPatience),
		lost: make(chan struct{}),
	}
	l.timer = time.AfterFunc(l.every, func() { g.End(l.name) })
	g.leases[l.name] = l
	g.changed()
	return l.name, l.lost, nil
}

// Alive notes that a controller is there. False: its lease has ended.
func (g *Gate) Alive(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.leases[name]
	if l != nil {
		l.timer.Reset(l.every)
	}
	return l != nil
}

// End ends a lease: what it armed is disarmed, what that holds is released, at once
// and in order.
func (g *Gate) End(name string) {
	g.mu.Lock()
	l := g.leases[name]
	if l == nil {
		g.mu.Unlock()
		return
	}
	delete(g.leases, name)
	l.timer.Stop()
	close(l.lost)
	g.mu.Unlock()
	g.disarm(name, "who held it has left")
}
