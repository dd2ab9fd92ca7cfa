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
	until time.Time // then it is forwarded
	timer *time.Timer

	undecided bool // it waits for a decision, and not for its time alone
}

// heldWhere lists those of the held that are as wanted, in order.
func (g *Gate) heldWhere(wanted func(*held) bool) (all []*held) {
	for _, h := range g.held {
		if wanted(h) {
			all = append(all, h)
		}
	}
	return all
}

// longestHold is how long a message waits for a decision: clients and servers give up
// soon after, and whoever was to decide may be away.
const longestHold = time.Minute

// hold keeps an item. For 0 it waits until someone decides, longestHold at most. It
// returns false when too much is held already.
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
	why := "its time had come"
	if wait == 0 {
		wait, h.undecided, why = longestHold, true, "no one decided within 60 s"
	}
	h.until = h.since.Add(wait)
	h.timer = time.AfterFunc(wait, func() { g.expired(h, why) })
	g.changed()
	return true
}

// expired ends the wait of a unit whose time has come.
func (g *Gate) expired(h *held, why string) {
	g.mu.Lock()
	lanes := g.release([]*held{h}, "", why)
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

// clientLeft ends what waits on a connection whose client has left: what it said before
// continues, as it would have, and nothing does when the connection broke. What only waits
// for its time still does.
func (g *Gate) clientLeft(c *Conn, broke bool) (lanes []*lane) {
	free := g.heldWhere(func(h *held) bool { return h.u.lane.conn == c && (broke || h.undecided) })
	if !broke {
		return g.release(free, "", "its client has left")
	}
	for _, h := range free {
		g.discard(h)
		h.item.ready, h.item.data = true, nil
	}
	return []*lane{c.up, c.down}
}

// discard drops a unit whose connection has ended.
func (g *Gate) discard(h *held) {
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

// Bounds of what a controller may take.
const (
	slowest     = 5 * time.Second  // to send a request
	replyTime   = 15 * time.Second // to read a response
	maxScenario = 1 << 20
)

// Lease begins a lease: what is armed under its name lives until End. The error is for
// too many of them.
func (g *Gate) Lease() (name string, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.leases) >= maxLeases {
		return "", fmt.Errorf("%d controllers hold leases here: end one first", maxLeases)
	}
	g.lastID++
	name = fmt.Sprintf("c%d", g.lastID)
	g.leases[name] = true
	g.changed()
	return name, nil
}

// leased reports whether a lease has not ended.
func (g *Gate) leased(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.leases[name]
}

// End ends a lease: what it armed is disarmed, what that holds is released, at once
// and in order.
func (g *Gate) End(name string) {
	g.mu.Lock()
	delete(g.leases, name)
	g.mu.Unlock()
	g.disarm(name, "who held it has left")
}
