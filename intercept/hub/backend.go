package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"midwire/intercept/hub/plan"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// greetTime is how long a server may take to answer the handshake: npx may have to
// download it first.
const greetTime = 45 * time.Second

// leg carries messages to one instance of a server, and back to the backend whose
// it is, by receive and lost.
type leg interface {
	// send passes a message on. What belongs to the call, if it is one, comes back
	// with it. Several goroutines may call it.
	send(m []byte, c *call) error
	// end ends the instance, and returns when nothing is left of it. A remote one is
	// told that its session is over, unless it is kept.
	end(keep bool)
}

// backend is one server of one session, which alone talks to this instance of it.
type backend struct {
	s    *session
	part plan.Part

	begin sync.Mutex // held while the instance is begun

	mu       sync.Mutex // guards all below
	leg      leg
	reason   string // why there is none any more, and will not be; "" otherwise
	greeting []byte // the result of the handshake
	handle   handle
	modern   bool            // it is of the era without handshake
	probing  bool            // it is asked for its era: it may end of that
	level    string          // of logs, as a server with a handshake was told
	watched  map[string]bool // resources of a server of 2026-07-28, for a client with a session
	unfollow context.CancelFunc
	headed   map[string][]headed // what is repeated in headers, by the name of the tool
	calls    map[string]*call    // by raw id
	passed   int64               // messages in both directions
}

func (b *backend) state() (running bool, reason string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.leg != nil, b.reason
}

// greeted is the result of the handshake, nil before it.
func (b *backend) greeted() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.greeting
}

// can says whether the server has declared a capability. One that has not been
// greeted yet may have it.
func (b *backend) can(capability string) bool {
	g := b.greeted()
	return g == nil || wire.Get(g, "capabilities", capability) != nil ||
		wire.Get(g, "capabilities", "extensions", mcp.MetaPrefix+capability) != nil
}

// ready begins the instance and shakes hands, if that has not happened yet. note
// says in its recording why it is begun.
func (b *backend) ready(note string) error {
	b.begin.Lock()
	defer b.begin.Unlock()
	if running, reason := b.state(); running {
		return nil
	} else if reason != "" {
		return errors.New(reason)
	}
	resumed, err := b.launch(note)
	if err == nil && !resumed {
		err = b.greet()
	}
	if err != nil {
		return b.fail(err)
	}
	return nil
}

// launch begins the instance. A remote one whose session goes on is resumed.
func (b *backend) launch(note string) (resumed bool, err error) {
	b.mu.Lock()
	known := b.handle
	b.mu.Unlock()
	var l leg
	if b.part.Context == plan.Remote {
		l, err = startRemote(b, known, note)
		resumed = known.id != "" && b.greeted() != nil
	} else {
		l, err = startProcess(b, note)
	}
	if err != nil {
		return false, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.reason != "" { // it has ended already
		b.s.hub.wg.Go(func() { l.end(true) })
		return false, errors.New(b.reason)
	}
	b.leg = l
	if r, ok := l.(*remote); ok && resumed {
		r.setVersion(wire.Text(wire.Get(b.greeting, "protocolVersion")))
		r.listen()
	}
	return resumed, nil
}

// greet shakes hands with the parameters that the client has given, in the client's era
// if the server speaks it.
func (b *backend) greet() error {
	ctx, cancel := context.WithTimeout(b.s.ctx, greetTime)
	defer cancel()
	if b.s.clients() == "" {
		if done, err := b.probe(ctx); done || err != nil {
			return err
		}
	}
	answer := b.ask(ctx, mcp.Initialize, b.s.params())
	m, ok := onlyMessage(answer)
	if !ok || m.Result == nil {
		if b.s.clients() != "" && b.turns(ctx) {
			return nil
		}
		return fmt.Errorf("the handshake failed: %s", wire.Plain(wire.Get(m.Error, "message")))
	}
	b.met(m.Result)
	return b.tell(notification(mcp.NotifyInitialized, nil))
}

// turns says whether a server that has refused the handshake is of the era without one.
func (b *backend) turns(ctx context.Context) bool {
	running, _ := b.state()
	return running && b.discover(ctx) == nil
}

func (b *backend) met(greeting []byte) {
	b.mu.Lock()
	b.greeting = bytes.Clone(greeting)
	b.modern = mcp.Version(wire.Text(wire.Get(greeting, "protocolVersion"))).IsModern()
	l := b.leg
	b.mu.Unlock()
	if r, ok := l.(*remote); ok {
		r.setVersion(wire.Text(wire.Get(greeting, "protocolVersion")))
	}
	b.s.keepServer(b)
	if b.isModern() && b.s.clients() != "" {
		b.follow()
	}
}

// tell sends what has no response.
func (b *backend) tell(m []byte) error {
	b.mu.Lock()
	l, reason := b.leg, b.reason
	b.passed++
	b.mu.Unlock()
	if l == nil {
		return errors.New(reason)
	}
	return b.masked(l.send(m, nil))
}

// masked is an error as it may leave the hub; nil for none.
func (b *backend) masked(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(shown(&b.part, err.Error()))
}

// receive takes a message of the server. about is the call that it came with, if
// that is known. The bytes are the caller's again when it returns.
func (b *backend) receive(text []byte, about *call) {
	defer defect.Recover("a message of a server", 0, b.s.hub.defect)
	b.mu.Lock()
	b.passed++
	b.mu.Unlock()
	n, _ := wire.ScanMessages(bytes.Clone(text), func(_ int, m wire.Message) bool {
		switch {
		case m.Method != nil:
			b.s.fromServer(b, &m, about)
		case m.ID != nil && b.settle(string(m.ID), m.Raw):
		default:
			b.s.log().Warn("a response that nobody waits for", "server", b.part.Name, "id", clip(string(m.ID)))
		}
		return true
	})
	if n == 0 && len(bytes.TrimSpace(text)) > 0 {
		b.s.log().Warn("no message of JSON-RPC", "server", b.part.Name, "bytes", len(text))
	}
}

// lost is called when the instance has ended by itself. There will be no other in
// this session: what it knew is gone, and to hide that would be wrong.
func (b *backend) lost(err error) {
	b.mu.Lock()
	probing := b.probing
	if probing {
		b.leg = nil
	}
	b.mu.Unlock()
	if err = b.masked(err); !probing {
		err = b.fail(err)
	}
	b.mu.Lock()
	calls := b.calls
	b.calls = map[string]*call{}
	b.mu.Unlock()
	for id, c := range calls {
		c.done <- b.failed([]byte(id), err)
	}
}

// fail says why there is no instance any more, and returns that as it may be shown.
func (b *backend) fail(err error) error {
	err = b.masked(err)
	b.mu.Lock()
	l := b.leg
	b.leg = nil
	if b.reason == "" {
		b.reason = err.Error()
	}
	b.mu.Unlock()
	b.s.log().Warn("server failed", "server", b.part.Name, "reason", err.Error())
	if l != nil {
		b.s.hub.wg.Go(func() { l.end(true) })
	}
	return err
}

// forgotten is called when a remote server does not know the hub's session any
// more: the next use begins another one.
func (b *backend) forgotten() {
	b.mu.Lock()
	l := b.leg
	b.leg, b.handle, b.greeting = nil, handle{}, nil
	b.mu.Unlock()
	b.s.log().Warn("server has forgotten its session", "server", b.part.Name)
	if l != nil {
		b.s.hub.wg.Go(func() { l.end(true) })
	}
	b.s.keepServer(b)
}

func (b *backend) end(keep bool) {
	b.mu.Lock()
	l := b.leg
	b.leg = nil
	if b.reason == "" {
		b.reason = "the session has ended"
	}
	b.mu.Unlock()
	if l != nil {
		l.end(keep)
	}
}
