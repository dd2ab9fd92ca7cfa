package gate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"midwire/session/wire"
	"midwire/session/words"
)

// ErrGone says that nothing is held under a number any more: someone else decided,
// its time has come, or its connection has ended.
var ErrGone = errors.New("it is not held any more")

// Order is what a controller asks of a gate: a request of the control socket, as
// docs/gate.md describes it.
type Order struct {
	Do         string // arm, disarm, release, release-all, edit, drop, answer, inject, restart
	ID         int    // of what is held
	Body       string
	Lease      string // of the controller, "" for none
	AsReceived bool   // release: forget what was edited
	Release    bool   // edit: and forward it
	ToServer   bool   // inject
	Session    string // inject: "" for the only one
}

// Armed is a rule that is armed, as controllers see it.
type Armed struct {
	ID    int    `json:"id"`
	Rule  string `json:"rule"`
	Fault string `json:"fault,omitempty"`
	Owner string `json:"owner,omitempty"`
	Seen  int    `json:"seen"`  // messages that match
	Fired int    `json:"fired"` // of them, those that it was done to
}

// Held is a message that waits, as controllers see it.
type Held struct {
	ID       int    `json:"id"`
	Frame    uint64 `json:"frame,omitempty"` // of the recording; 0 until it is recorded
	Exchange uint32 `json:"exchange,omitempty"`
	Conn     uint32 `json:"conn,omitempty"`
	Dir      string `json:"dir"`
	Kind     string `json:"kind"`
	Method   string `json:"method,omitempty"`
	Tool     string `json:"tool,omitempty"`
	Session  string `json:"session,omitempty"`
	MessID   string `json:"message_id,omitempty"` // JSON, quotes included
	Rule     string `json:"rule"`
	AgeMS    int64  `json:"age_ms"`
	LeftMS   int64  `json:"left_ms"` // until it is forwarded automatically
	Bytes    int    `json:"bytes"`
	Edited   bool   `json:"edited,omitempty"`
	Head     string `json:"head,omitempty"`
	Payload  string `json:"payload,omitempty"` // as it stands; in the list only its beginning
	Cut      bool   `json:"cut,omitempty"`     // there is more of it
}

// Snapshot is all that a controller sees.
type Snapshot struct {
	Tap    string   `json:"tap"`
	Armed  []Armed  `json:"armed"`
	Held   []Held   `json:"held"`
	Counts Counts   `json:"counts"`
	Leases []string `json:"controllers"`
	Stamp  int      `json:"stamp"`            // grows with every change
	Reload bool     `json:"reload,omitempty"` // the server can be restarted
}

// How much of payloads the list of what is held shows: of one, and of all.
const (
	listedPayload = 64 << 10
	listedInAll   = 4 << 20
)

// Snapshot returns what is armed and held.
func (g *Gate) Snapshot() Snapshot {
	s, _ := g.current()
	return s
}

// current is Snapshot, with what is closed when there is another one.
func (g *Gate) current() (Snapshot, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.next == nil {
		g.next = make(chan struct{})
	}
	s := Snapshot{
		Tap: g.tap, Counts: g.counts, Stamp: g.stamp,
		Armed: []Armed{}, Held: []Held{}, Leases: []string{}, Reload: g.restart != nil,
	}
	for _, a := range g.rules {
		s.Armed = append(s.Armed, Armed{a.id, a.text, a.Preset, a.owner, a.seen, a.fired})
	}
	room := listedInAll
	for _, h := range g.held {
		v := h.view(min(listedPayload, room))
		if room -= len(v.Payload) + len(v.Head); room < 0 {
			v.Head, v.Cut, room = "", true, 0
		}
		s.Held = append(s.Held, v)
	}
	for name := range g.leases {
		s.Leases = append(s.Leases, name)
	}
	return s, g.next
}

func (h *held) view(most int) Held {
	u := h.u
	m := &u.msgs[0]
	for i := range u.msgs {
		if h.rule.match(&u.msgs[i]) {
			m = &u.msgs[i]
			break
		}
	}
	v := Held{
		ID: h.id, Frame: u.ref.frame.Load(), Exchange: u.ref.x.Load(), Conn: u.lane.conn.id, Dir: string(u.lane.dir),
		Kind: m.kind(), Method: m.Method, Tool: m.Tool, Session: m.Session, MessID: string(m.RPC.ID),
		Rule: h.rule.text, AgeMS: time.Since(h.since).Milliseconds(),
		LeftMS: max(time.Until(h.until).Milliseconds(), 1), Bytes: len(u.current()),
		Edited: u.changed(), Head: string(u.currentHead()), Payload: string(u.current()),
	}
	if v.Cut = len(v.Payload) > most; v.Cut {
		v.Payload = words.Clip(v.Payload, most)
	}
	return v
}

// withHeld does something with a held unit, under the lock, and flushes its lane
// afterwards.
func (g *Gate) withHeld(id int, do func(*held) error) error {
	g.mu.Lock()
	var found *held
	for _, h := range g.held {
		if h.id == id {
			found = h
		}
	}
	if found == nil {
		g.mu.Unlock()
		return fmt.Errorf("%d: %w", id, ErrGone)
	}
	err := do(found)
	g.changed()
	g.mu.Unlock()
	go found.u.lane.flush()
	go found.u.lane.conn.down.flush()
	return err
}

// Show returns one held message, whole.
func (g *Gate) Show(id int) (v Held, err error) {
	err = g.withHeld(id, func(h *held) error { v = h.view(maxUnit); return nil })
	return v, err
}

// Obey carries out an order, and says why it cannot.
func (g *Gate) Obey(o Order) error {
	switch o.Do {
	case "arm":
		return g.armBy(o)
	case "disarm":
		g.Disarm(cmp.Or(o.Lease, "*"))
	case "release-all":
		g.mu.Lock()
		lanes := g.release(slices.Clone(g.held), o.Lease, "")
		g.mu.Unlock()
		flushAll(lanes)
	case "inject":
		return g.injectBy(o)
	case "restart":
		g.mu.Lock()
		restart := g.restart
		g.mu.Unlock()
		if restart == nil {
			return errors.New("this proxy does not restart its server: midwire run --reload COMMAND starts one that does")
		}
		return restart("asked for")
	case "release", "edit", "drop", "answer":
		return g.withHeld(o.ID, func(h *held) error { return g.settle(h, o) })
	default:
		return fmt.Errorf("there is nothing like %q", o.Do)
	}
	return nil
}

// armBy arms the rules of the body, a line each, instead of those of the lease.
// Without a lease they are armed until someone disarms them.
func (g *Gate) armBy(o Order) error {
	rules, err := ParseScenario(o.Body)
	if err != nil {
		return err
	}
	holds := func(r *Rule) bool { return r.Do.name == "hold" }
	if o.Lease == "" && slices.ContainsFunc(rules, holds) {
		return errors.New("to hold needs a lease: GET /events gives one, for as long as that connection lasts")
	}
	return g.Arm(rules, o.Lease)
}

// settle does with a held message what was decided. It is forwarded, is gone, or, edited,
// stays.
func (g *Gate) settle(h *held, o Order) error {
	u := h.u
	switch o.Do {
	case "edit":
		if err := u.rewrite(o); err != nil || !o.Release {
			return err
		}
	case "release":
		if o.AsReceived && u.changed() {
			u.now, u.headNow, u.rule = nil, nil, nil
			u.tellEdit(o.Lease, "as it was received")
		}
	default:
		return g.treat(h, o)
	}
	g.release([]*held{h}, o.Lease, "")
	return nil
}

// rewrite replaces the payload of a held message.
func (u *unit) rewrite(o Order) error {
	if u.on == Head {
		return errors.New("it has no body that could be edited")
	}
	u.set([]byte(o.Body))
	u.rule = nil
	u.lane.conn.gate.counts.Edited++
	u.tellEdit(o.Lease, "")
	return nil
}

// treat does to a held message what a rule would, and forwards it.
func (g *Gate) treat(h *held, o Order) error {
	u, answers := h.u, o.Do == "answer"
	switch {
	case answers && !wire.Valid([]byte(o.Body)):
		return errors.New("an answer is JSON: a result, or a whole message")
	case answers && !u.requests() && !u.msgs[0].isResponse():
		return errors.New("only a request can be answered")
	}
	do, bad := ParseAction(o.Do + " " + o.Body)
	if bad != nil {
		return bad
	}
	d := &deed{u: u, item: h.item}
	do.do(g, d, &armed{Rule: &Rule{Do: do}, owner: o.Lease, of: h}, &u.msgs[0])
	if d.stays {
		g.forget(h)
		h.item.ready, h.item.data = true, nil
		return nil
	}
	if answers {
		g.counts.Edited++
		u.tellEdit(o.Lease, "")
	}
	g.release([]*held{h}, o.Lease, "")
	return nil
}

// injectBy puts a message of the controller's own into a session: "" for the only one
// there is.
func (g *Gate) injectBy(o Order) error {
	if !wire.Valid([]byte(o.Body)) {
		return errors.New("a message is JSON")
	}
	d := wire.ToClient
	if o.ToServer {
		d = wire.ToServer
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var c *Conn
	var t *talk
	if o.Session != "" {
		if t = g.talks[o.Session]; t == nil {
			return fmt.Errorf("no session %q was seen", o.Session)
		}
	}
	for c = range g.conns {
		if g.tap == "stdio" {
			break
		}
	}
	if c == nil || c.up.reader == nil {
		return errors.New("arm a rule first: connections are on the fast path")
	}
	if g.tap == "http" {
		c = nil
	}
	return g.inject(c, t, d, []byte(o.Body), wire.Gate{By: o.Lease})
}
