package gate

import (
	"errors"
	"fmt"
	"time"

	"midwire/session/wire"
	"midwire/session/words"
)

// ErrGone says that nothing is held under a number any more: somebody else decided,
// its time has come, or its connection has ended.
var ErrGone = errors.New("it is not held any more")

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
	Client   string `json:"client,omitempty"`
	MessID   string `json:"message_id,omitempty"` // JSON, quotes included
	Rule     string `json:"rule"`
	AgeMS    int64  `json:"age_ms"`
	LeftMS   int64  `json:"left_ms,omitempty"` // until it goes on by itself
	Bytes    int    `json:"bytes"`
	Edited   bool   `json:"edited,omitempty"`
	Head     string `json:"head,omitempty"`
	Payload  string `json:"payload,omitempty"` // as it stands; in the list only its beginning
	Cut      bool   `json:"cut,omitempty"`     // there is more of it
}

// Snapshot is all that a controller sees.
type Snapshot struct {
	Tap    string   `json:"tap"`
	Seed   uint64   `json:"seed,omitempty"`
	Armed  []Armed  `json:"armed"`
	Held   []Held   `json:"held"`
	Counts Counts   `json:"counts"`
	Leases []string `json:"controllers"`
	Stamp  int      `json:"stamp"` // grows with every change
}

// How much of payloads the list of what is held shows: of one, and of all.
const (
	listedPayload = 64 << 10
	listedInAll   = 4 << 20
)

// Snapshot returns what is armed and held.
func (g *Gate) Snapshot() Snapshot {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := Snapshot{
		Tap: g.tap, Seed: g.seed, Counts: g.counts, Stamp: g.stamp,
		Armed: []Armed{}, Held: []Held{}, Leases: []string{},
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
	return s
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
		Kind: m.kind(), Method: m.Method, Tool: m.Tool, Session: m.Session, Client: m.Client, MessID: string(m.RPC.ID),
		Rule: h.rule.text, AgeMS: time.Since(h.since).Milliseconds(), Bytes: len(u.current()),
		Edited: u.changed, Head: string(u.currentHead()), Payload: string(u.current()),
	}
	if !h.until.IsZero() {
		v.LeftMS = max(time.Until(h.until).Milliseconds(), 1)
	}
	if v.Cut = len(v.Payload) > most; v.Cut {
		v.Payload = words.Clip(v.Payload, most)
	}
	return v
}

// kind is the word for what a message is.
func (m *Message) kind() string {
	switch m.RPC.Kind {
	case wire.MsgRequest:
		return "request"
	case wire.MsgNotification:
		return "notification"
	case wire.MsgResult, wire.MsgError:
		return "response"
	}
	return [...]string{"line", "body", "event", "head"}[m.On]
}

// with does something with a held unit, under the lock, and flushes its lane
// afterwards.
func (g *Gate) with(id int, do func(*held) error) error {
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
	err = g.with(id, func(h *held) error { v = h.view(maxUnit); return nil })
	return v, err
}

// Release lets a message go on; asReceived forgets what was edited.
func (g *Gate) Release(id int, asReceived bool, by string) error {
	return g.with(id, func(h *held) error {
		if asReceived && h.u.changed {
			h.u.changed, h.u.other, h.u.headNow = false, false, nil
			h.u.rule = nil
			h.u.tellEdit(by, "as it was received")
		}
		g.release([]*held{h}, by, "")
		return nil
	})
}

// ReleaseAll lets everything go on, in the order in which it came, and returns how
// many.
func (g *Gate) ReleaseAll(by string) int {
	g.mu.Lock()
	n := len(g.held)
	lanes := g.release(append([]*held(nil), g.held...), by, "")
	g.mu.Unlock()
	flushAll(lanes)
	return n
}

// Edit replaces the payload of a held message, or its head where that is given. It
// stays held.
func (g *Gate) Edit(id int, payload, head []byte, by string) error {
	return g.with(id, func(h *held) error {
		u := h.u
		if head != nil {
			facts, ok := wire.ParseHead(head)
			if len(u.head) == 0 || !ok || u.lane.dir == wire.ToServer != (facts.Method != "") {
				return errors.New("this is not the head of such a message")
			}
			u.headNow, u.changed = head, true
		}
		if payload != nil {
			if u.on == Head {
				return errors.New("it has no body: only its head can be edited")
			}
			u.set(payload)
		}
		u.rule = nil
		g.counts.Edited++
		u.tellEdit(by, "")
		return nil
	})
}

// Do has something done to a held message, as a rule would: Drop, Answer or
// Duplicate. Then it goes on, or is gone.
func (g *Gate) Do(id int, do Action, by string) error {
	if do.Verb == Answer && !wire.Valid(do.JSON) {
		return errors.New("an answer is JSON: a result, or a whole message")
	}
	return g.with(id, func(h *held) error {
		u := h.u
		if do.Verb == Duplicate && !u.passable() && u.lane.dir == wire.ToClient {
			return errors.New(notTwice)
		}
		d := &deed{u: u, item: h.item}
		edited := u.changed
		u.changed = false
		g.act(d, &armed{Rule: &Rule{Do: do}, owner: by, of: h}, &u.msgs[0])
		switch {
		case d.stays:
			g.forget(h)
			h.item.ready, h.item.data = true, nil
			return nil
		case do.Verb == Answer && !u.changed:
			u.changed = edited
			return errors.New("only a request can be answered")
		case u.changed:
			g.counts.Edited++
			u.tellEdit(by, "")
		}
		u.changed = u.changed || edited
		if err := g.finish(d); err != nil {
			return err
		}
		g.release([]*held{h}, by, "")
		for _, it := range d.behind {
			u.lane.add(it)
		}
		return nil
	})
}

// Inject puts a message of the controller's own into a session: "" for the only one
// there is. Over HTTP it goes to the client.
func (g *Gate) Inject(session string, d wire.Dir, message []byte, by string) error {
	if !wire.Valid(message) {
		return errors.New("a message is JSON")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var c *Conn
	var t *talk
	if session != "" {
		if t = g.talks[session]; t == nil {
			return fmt.Errorf("no session %q was seen", session)
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
	if g.tap == "http" && d == wire.ToClient {
		c = g.streamOf(nil, t)
	}
	return g.inject(c, t, d, message, wire.Gate{By: by})
}
