package hub

import (
	"bytes"
	"context"
	"encoding/json"
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
	modern   bool             // it is of the era without handshake
	calls    map[string]*call // by raw id
	begun    time.Time
	passed   int64 // messages in both directions
}

// call is a request that a backend has not answered yet.
type call struct {
	id     string
	method string
	token  string // of progress, raw; "" for none
	given  string // what the client calls that token, raw; "" for the same
	at     int64  // when it was passed on, among the messages of its backend
	reply  *reply // where its client waits; nil for the hub itself
	// done gets the response, or one of ours. It has room for it.
	done chan []byte
	// over is closed when the response was taken: what carries more of it may end.
	over chan struct{}
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
	return g == nil || wire.Get(g, "capabilities", capability) != nil
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
	b.leg, b.begun = l, time.Now()
	if r, ok := l.(*remote); ok && resumed {
		r.setVersion(wire.Text(wire.Get(b.greeting, "protocolVersion")))
		r.listen()
	}
	return resumed, nil
}

// greet shakes hands with the parameters that the client has given.
func (b *backend) greet() error {
	ctx, cancel := context.WithTimeout(b.s.ctx, greetTime)
	defer cancel()
	answer := b.ask(ctx, mcp.Initialize, b.s.params())
	m, ok := one(answer)
	if !ok || m.Result == nil {
		if running, _ := b.state(); running && b.discover(ctx) == nil {
			return nil
		}
		return fmt.Errorf("the handshake failed: %s", wire.Plain(wire.Get(m.Error, "message")))
	}
	b.met(m.Result)
	return b.tell(notification(mcp.NotifyInitialized, nil))
}

// met takes the result of the handshake.
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

// ask makes a request of the hub's own and returns the response.
func (b *backend) ask(ctx context.Context, method string, params []byte) []byte {
	id := b.s.ownID()
	return b.pass(ctx, request(id, method, params), &call{id: id, method: method})
}

// pass passes a request on and returns the response, which is one of ours when the
// server gives none. When ctx ends nothing waits for it any more.
func (b *backend) pass(ctx context.Context, m []byte, c *call) []byte {
	c.done, c.over = make(chan []byte, 1), make(chan struct{})
	defer close(c.over)
	b.mu.Lock()
	l, reason := b.leg, b.reason
	if l == nil {
		b.mu.Unlock()
		return b.failed([]byte(c.id), errors.New(reason))
	}
	if b.calls[c.id] != nil {
		b.mu.Unlock()
		return failure([]byte(c.id), mcp.CodeInvalidRequest, b.part.Name, "a request with this id is under way")
	}
	b.calls[c.id] = c
	b.passed++
	c.at = b.passed
	b.mu.Unlock()
	b.s.hub.count.calls.Add(1)
	if err := l.send(b.inEra(m), c); err != nil {
		b.settle(c.id, b.failed([]byte(c.id), err))
	}
	select {
	case response := <-c.done:
		return response
	case <-ctx.Done():
		b.drop(c)
		text := "the server %s did not answer in time"
		if b.s.ctx.Err() != nil {
			text = "the session has ended before the server %s has answered"
		}
		return failure([]byte(c.id), mcp.CodeInternalError, b.part.Name, text, b.part.Name)
	}
}

// failed is the response for a request that the server cannot be given.
func (b *backend) failed(id []byte, err error) []byte {
	b.s.hub.count.failures.Add(1)
	return failure(id, mcp.CodeInternalError, b.part.Name, "server %s: %v", b.part.Name, b.masked(err))
}

// drop forgets a call.
func (b *backend) drop(c *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls[c.id] == c {
		delete(b.calls, c.id)
	}
}

// settle hands a response to whoever waits for it.
func (b *backend) settle(id string, response []byte) bool {
	b.mu.Lock()
	c := b.calls[id]
	delete(b.calls, id)
	b.mu.Unlock()
	if c != nil {
		c.done <- response
	}
	return c != nil
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
			b.s.hub.count.dropped.Add(1)
		}
		return true
	})
	if n == 0 && len(bytes.TrimSpace(text)) > 0 {
		b.s.log().Warn("no message of JSON-RPC", "server", b.part.Name, "bytes", len(text))
		b.s.hub.count.dropped.Add(1)
	}
}

// lost is called when the instance has ended by itself. There will be no other in
// this session: what it knew is gone, and to hide that would be wrong.
func (b *backend) lost(err error) {
	err = b.fail(err)
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

// end ends the instance.
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

// byToken is the call that a server reports progress of.
func (b *backend) byToken(token []byte) *call {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.calls {
		if c.token != "" && c.token == string(token) {
			return c
		}
	}
	return nil
}

// likely is the call that a message of the server probably belongs to: the client's
// only one that runs, or the latest of those whose client can be asked nowhere else;
// nil for none.
func (b *backend) likely() (found *call) {
	b.mu.Lock()
	defer b.mu.Unlock()
	several := false
	for _, c := range b.calls {
		if c.reply == nil {
			continue
		}
		several = several || found != nil
		if found == nil || c.at > found.at {
			found = c
		}
	}
	if several && found.reply.asked == nil {
		return nil
	}
	return found
}

// merge adds the capabilities of a server to those of others.
func merge(into map[string]any, capabilities []byte) {
	var given map[string]any
	if json.Unmarshal(object(capabilities), &given) != nil {
		return
	}
	for name, v := range given {
		have, isObject := into[name].(map[string]any)
		add, ok := v.(map[string]any)
		if !isObject || !ok {
			into[name] = v
			continue
		}
		for k, v := range add {
			if v != false || have[k] == nil {
				have[k] = v
			}
		}
	}
}
