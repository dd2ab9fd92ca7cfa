package gate

import (
	"fmt"
	"time"
)

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
