package gate

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"midwire/session/record"
	"midwire/session/wire"
)

// Bounds of what is kept waiting. What is more passes, and the recording says so.
const (
	maxUnit   = 16 << 20 // bytes of a unit that is looked at as a whole
	maxHeld   = 1000     // units
	maxBytes  = 64 << 20 // of all held
	maxBehind = 1 << 20  // bytes that wait behind a held one on its connection, until nothing more is read
	maxRules  = 1000     // armed
	maxLeases = 64
)

// Gate is the gate of one proxy. The zero value is not usable; New returns one.
// Its methods may be called by several goroutines.
type Gate struct {
	tap string

	mu      sync.Mutex // guards all below, and all that conns, lanes and units hold
	rules   []*armed
	lastID  int
	conns   map[*Conn]struct{}
	talks   map[string]*talk
	held    []*held // oldest first
	bytes   int
	counts  Counts
	leases  map[string]bool
	next    chan struct{}          // closed at the next change; nil when no one waits for it
	stamp   int                    // counts changes
	restart func(why string) error // of the server; nil where that is not possible
	note    func(wire.Gate)        // records a fact of no connection; nil until Bind
	rec     *record.Writer         // nil until Records

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
		leases: map[string]bool{},
	}
}

// Bind gives the gate what records facts of no connection.
func (g *Gate) Bind(note func(wire.Gate)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.note = note; len(g.rules) > 0 {
		g.tellArmed(g.rules, "")
	}
}

// OnRestart gives the gate what restarts the server, for the order of that name.
func (g *Gate) OnRestart(restart func(why string) error) {
	if g != nil {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.restart = restart
	}
}

// Records gives the gate the recording of its proxy: the credentials of rules are masked
// in it.
func (g *Gate) Records(rec *record.Writer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.rec = rec
	for _, a := range g.rules {
		rec.Hide(a.secrets)
	}
}

func (g *Gate) tell(e wire.Gate) {
	if g.note != nil {
		g.note(e)
	}
}

func (g *Gate) tellArmed(rules []*armed, by string) {
	texts := make([]string, 0, len(rules))
	for _, a := range rules {
		texts = append(texts, a.text)
	}
	g.tell(wire.Gate{What: wire.GateArm, Rules: texts, By: by})
}

// ServerEnded says that a server has ended: what waits for a decision is released. What
// waits for its time still does. The gate may be nil.
func (g *Gate) ServerEnded() {
	if g == nil {
		return
	}
	g.mu.Lock()
	lanes := g.release(g.heldWhere(func(h *held) bool { return h.undecided }), "", "the server has ended")
	g.mu.Unlock()
	flushAll(lanes)
}

// Waits reports whether something is held. The gate may be nil.
func (g *Gate) Waits() bool {
	if g == nil {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.held) > 0
}

type armed struct {
	*Rule
	id    int
	owner string // of the lease, "" for good
	of    *held  // what a controller decides about with it; nil for a rule
	match condition
	seen  int
	fired int
}

// fires is the message of a unit that the rule is for, nil for none.
func (a *armed) fires(u *unit) *Message {
	for i := range u.msgs {
		if m := &u.msgs[i]; a.match(m) {
			a.seen++
			if a.Nth != (Nth{}) && !a.Nth.has(a.seen) {
				return nil
			}
			a.fired++
			return m
		}
	}
	return nil
}

// Arm arms rules instead of those of the same owner; what is held stays. The owner is
// the lease that they live by, "" for none: what holds messages needs one. An error says
// which rule cannot be armed here, and then nothing has changed.
func (g *Gate) Arm(rules []*Rule, owner string) error {
	for _, r := range rules {
		if why := r.Fits(g.tap); why != "" {
			return fmt.Errorf("%s: %s", r.text, why)
		}
	}
	g.mu.Lock()
	stay := slices.DeleteFunc(slices.Clone(g.rules), func(a *armed) bool { return a.owner == owner })
	var err error
	switch {
	case owner != "" && !g.leases[owner]:
		err = errors.New("the lease " + owner + " has ended")
	case len(stay)+len(rules) > maxRules:
		err = fmt.Errorf("more than %d rules would be armed: disarm some first", maxRules)
	}
	if err != nil {
		g.mu.Unlock()
		return err
	}
	g.rules = stay
	for _, r := range rules {
		g.lastID++
		g.rules = append(g.rules, &armed{Rule: r, id: g.lastID, owner: owner, match: conditionOf(r.When)})
		if g.rec != nil {
			g.rec.Hide(r.secrets)
		}
	}
	var fast []*Conn
	for c := range g.conns {
		if !c.attached {
			c.attached = true
			fast = append(fast, c)
		}
	}
	g.changed()
	g.tellArmed(g.rules[len(stay):], owner)
	g.mu.Unlock()
	for _, c := range fast {
		c.carrier.Attach(c)
	}
	return nil
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
			texts = append(texts, a.text)
		}
		return gone
	})
	if len(g.rules) == 0 {
		for _, t := range g.talks {
			t.expired = 0
		}
	}
	lanes := g.release(g.heldWhere(func(h *held) bool { return owner == "*" || h.owner == owner }), owner, why)
	g.changed()
	if len(texts) > 0 {
		g.tell(wire.Gate{What: wire.GateDisarm, Rules: texts, By: owner})
	}
	g.mu.Unlock()
	flushAll(lanes)
}

// changed wakes the waiters.
func (g *Gate) changed() {
	g.stamp++
	if g.next != nil {
		close(g.next)
		g.next = nil
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

// named is the session with that id, which continues with what t knows.
func (g *Gate) named(t *talk, id string) *talk {
	out := g.talk(id)
	out.pending, t.pending = t.pending, nil
	return out
}
