package gate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"midwire/session/wire"
)

// Bounds of what is kept waiting. What is more passes, and the recording says so.
const (
	maxUnit   = 16 << 20 // bytes of a unit that is looked at as a whole
	maxHeld   = 1000     // units
	maxBytes  = 64 << 20 // of all held
	maxBehind = 1 << 20  // bytes that wait behind a held one on its connection, until nothing more is read
)

// Gate is the gate of one proxy. The zero value is not usable; New returns one.
// Its methods may be called by several goroutines.
type Gate struct {
	tap string

	mu     sync.Mutex // guards all below, and all that conns, lanes and units hold
	rules  []*armed
	lastID int
	conns  map[*Conn]struct{}
	talks  map[string]*talk
	dead   map[string]int // sessions that were made to expire, and with which status
	held   []*held        // oldest first
	bytes  int
	owns   []*ownRequest
	late   []*held // of them, those that wait for another message
	counts Counts
	leases map[string]*lease
	hear   map[chan struct{}]bool // told that something changed
	stamp  int                    // counts changes
	seed   uint64                 // of rules without one
	note   func(wire.Gate)        // records a fact of no connection; nil until Bind
	early  []wire.Gate            // told before

	past       func(*Learner) // called once, when something is armed while connections are open
	keepsInput bool           // the server is not told that its standard input has ended

	watching bool // a look at units that do not end is due
}

// Counts is what has been done so far.
type Counts struct {
	Held     int `json:"held"`
	Released int `json:"released"`
	Edited   int `json:"edited"`
	Dropped  int `json:"dropped"`
	Answered int `json:"answered"`
	Injected int `json:"injected"`
	Other    int `json:"other"`
}

// New returns the gate of a proxy, "stdio" or "http".
func New(tap string) *Gate {
	return &Gate{
		tap: tap, conns: map[*Conn]struct{}{}, talks: map[string]*talk{},
		dead: map[string]int{}, leases: map[string]*lease{}, hear: map[chan struct{}]bool{},
	}
}

// Bind gives the gate what records facts of no connection.
func (g *Gate) Bind(note func(wire.Gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.note = note
	for _, e := range g.early {
		note(e)
	}
	g.early = nil
}

func (g *Gate) tell(e wire.Gate) {
	if g.note == nil {
		g.early = append(g.early, e)
		return
	}
	g.note(e)
}

// Over says that a server has ended: what waits for a decision is released. What
// waits for its time still does. The gate may be nil.
func (g *Gate) Over() {
	if g == nil {
		return
	}
	g.mu.Lock()
	var free []*held
	for _, h := range g.held {
		if h.until.IsZero() {
			free = append(free, h)
		}
	}
	lanes := g.release(free, "", "the server has ended")
	g.mu.Unlock()
	flushAll(lanes)
}

// KeepsInput says whether the end of the standard input is not to be passed on. The gate
// may be nil.
func (g *Gate) KeepsInput() bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.keepsInput
}

// Waits says whether something is held. The gate may be nil.
func (g *Gate) Waits() bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.held) > 0
}

// armed is a rule that is armed.
type armed struct {
	*Rule
	id    int
	owner string // of the lease, "" for good
	match condition
	seen  int
	fired int
	dice  *rand.Rand
}

// fires is the message of a unit that the rule is for, nil for none.
func (a *armed) fires(u *unit) *Message {
	for i := range u.msgs {
		if m := &u.msgs[i]; a.match(m) {
			a.seen++
			if a.Nth != (Nth{}) && !a.Nth.has(a.seen) || a.Chance > 0 && a.dice.Float64()*100 >= a.Chance {
				return nil
			}
			a.fired++
			return m
		}
	}
	return nil
}

// Arm adds rules. owner is the lease that they live by, "" for none: what holds
// messages needs one. An error says which rule cannot be armed here, and then none
// is.
func (g *Gate) Arm(rules []*Rule, seed uint64, owner string) error {
	for _, r := range rules {
		if why := r.Fits(g.tap); why != "" {
			return fmt.Errorf("%s: %s", r.Text, why)
		}
	}
	g.learn()
	g.mu.Lock()
	if owner != "" && g.leases[owner] == nil {
		g.mu.Unlock()
		return errors.New("the lease " + owner + " has ended")
	}
	texts := make([]string, 0, len(rules))
	for _, r := range rules {
		g.lastID++
		a := &armed{Rule: r, id: g.lastID, owner: owner, match: conditionOf(r.When)}
		s := r.Seed
		if !r.Seeded {
			s = seed
		}
		a.dice = rand.New(rand.NewPCG(s, uint64(len(g.rules))))
		g.rules = append(g.rules, a)
		texts = append(texts, r.String())
	}
	g.seed = seed
	conns := g.slow()
	g.changed()
	g.tell(wire.Gate{What: wire.GateArm, Rules: texts, Seed: seed, By: owner})
	g.mu.Unlock()
	for _, c := range conns {
		c.carrier.Attach(c)
	}
	return nil
}

// Replace is Arm in the place of what the owner has armed so far. What is held
// stays.
func (g *Gate) Replace(rules []*Rule, seed uint64, owner string) error {
	for _, r := range rules {
		if why := r.Fits(g.tap); why != "" {
			return fmt.Errorf("%s: %s", r.Text, why)
		}
	}
	g.mu.Lock()
	g.rules = slices.DeleteFunc(g.rules, func(a *armed) bool { return a.owner == owner })
	g.mu.Unlock()
	return g.Arm(rules, seed, owner)
}

// Learns sets what feeds a Learner with what was recorded so far. It is called once,
// when something is armed while there may be sessions.
func (g *Gate) Learns(past func(*Learner)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.past = past
}

// learn looks once at what was before.
func (g *Gate) learn() {
	g.mu.Lock()
	past := g.past
	g.past = nil
	busy := len(g.conns) > 0 || g.tap == "http" // sessions there outlive connections
	g.mu.Unlock()
	if past != nil && busy {
		l := g.Learner()
		past(l)
		l.Done()
	}
}

// slow lists the connections that are on the fast path, and has them leave it.
func (g *Gate) slow() (all []*Conn) {
	for c := range g.conns {
		if !c.attached {
			c.attached = true
			all = append(all, c)
		}
	}
	return all
}

// Disarm takes the rules of an owner away, or all of them with "*", and releases
// what they hold.
func (g *Gate) Disarm(owner string) { g.disarm(owner, "what held it was disarmed") }

func (g *Gate) disarm(owner, why string) {
	g.mu.Lock()
	var texts []string
	g.rules = slices.DeleteFunc(g.rules, func(a *armed) bool {
		gone := owner == "*" || a.owner == owner
		if gone {
			texts = append(texts, a.Rule.String())
		}
		return gone
	})
	if len(g.rules) == 0 {
		clear(g.dead)
	}
	var free []*held
	for _, h := range g.held {
		if owner == "*" || h.owner == owner {
			free = append(free, h)
		}
	}
	lanes := g.release(free, owner, why)
	g.changed()
	if len(texts) > 0 {
		g.tell(wire.Gate{What: wire.GateDisarm, Rules: texts, By: owner})
	}
	g.mu.Unlock()
	flushAll(lanes)
}

// changed tells whoever listens that there is something new. It never waits.
func (g *Gate) changed() {
	g.stamp++
	for c := range g.hear {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (g *Gate) news() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.changed()
}

// talk is the session with that id, made when it is new.
func (g *Gate) talk(id string) *talk {
	t := g.talks[id]
	if t == nil {
		if len(g.talks) > maxPending {
			clear(g.talks)
		}
		t = &talk{id: id}
		g.talks[id] = t
	}
	return t
}

// held is a unit that waits.
type held struct {
	id    int
	item  *item
	u     *unit
	rule  *armed
	owner string
	since time.Time
	until time.Time // zero: until somebody decides
	timer *time.Timer
}

// hold keeps an item. For 0 it waits until somebody decides. It returns false when
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
// flushed. why says what released them, "" when somebody decided it.
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

// forget takes a unit off the list of those that wait. False: it is not there.
func (g *Gate) forget(h *held) bool {
	i := slices.Index(g.held, h)
	if i < 0 {
		return false
	}
	g.held = slices.Delete(g.held, i, i+1)
	g.bytes -= len(h.u.raw)
	if i := slices.Index(g.late, h); i >= 0 {
		g.late = slices.Delete(g.late, i, i+1)
	}
	if h.timer != nil {
		h.timer.Stop()
	}
	g.changed()
	return true
}

// flushAll writes what was released, each lane in a goroutine of its own: a peer
// that does not read must not keep the others waiting.
func flushAll(lanes []*lane) {
	for _, l := range lanes {
		go l.flush()
	}
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
