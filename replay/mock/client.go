package mock

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"midwire/replay"
	"midwire/session"
	"midwire/session/jsonpath"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type client struct {
	mock  *Server
	id    string // its session id, "" for none
	stdio bool

	mu      sync.Mutex // guards all below
	session int        // the one it is played, -1 before its first request
	used    map[int32]bool
	pending map[string]chan struct{} // our requests that it has not responded to
	running map[string]context.CancelFunc
	lastID  int                  // of our requests
	ctx     context.Context      // of its stream, nil without one
	out     func(payload []byte) // for what belongs to no request; nil while there is no stream
	queue   [][]byte             // what waits for one
}

func (m *Server) client(id string) *client {
	return &client{
		mock: m, id: id, session: -1, used: map[int32]bool{},
		pending: map[string]chan struct{}{}, running: map[string]context.CancelFunc{},
	}
}

// respond plays what was recorded of a call: send is given what the server sent
// before its response, which is returned; nil when there was none.
func (c *client) respond(ctx context.Context, call int32, r *wire.Message, send func([]byte)) []byte {
	s, began := c.mock.Script, time.Now()
	row := s.CallRow(call)
	recorded, err := s.Request(call)
	if err != nil {
		return replay.Refusal(r.ID, mcp.CodeInternalError, err.Error())
	}
	for _, p := range c.mock.parts.during[call] {
		c.mock.wait(ctx, began, s.Row(p.Row).T-row.T)
		switch {
		case ctx.Err() != nil:
		case c.mock.apartFrom(p):
			c.send(ctx, p, &recorded, r, c.sendUnrelated)
		default:
			c.send(ctx, p, &recorded, r, send)
		}
	}
	if row.Response == 0 {
		<-ctx.Done() // the recorded server sent no response
		return nil
	}
	c.mock.wait(ctx, began, row.Latency())
	c.mock.settle(ctx, call, r)
	payload, err := s.RawResponse(call)
	if m, ok := wire.ScanMessage(payload); err != nil || !ok || !m.IsResponse() {
		return nil
	}
	if replay.FindMask(payload) != "" {
		c.mock.say(withheld(s.Label(call)))
		return replay.Refusal(r.ID, mcp.CodeInternalError, "midwire mock: "+withheld(string(r.Method)))
	}
	edits := clientEdits(payload, "result", &recorded, r)
	id, ok := replay.Replace(payload, jsonpath.Path{{Name: "id"}}, r.ID)
	switch {
	case ok && (c.stdio || string(payload[id.From:id.To]) != "null"):
		edits = append(edits, id)
	case !ok && c.stdio: // over HTTP the exchange says which request is meant
		at := bytes.IndexByte(payload, '{') + 1
		edits = append(edits, replay.Edit{From: at, To: at, With: fmt.Appendf(nil, `"id":%s,`, r.ID)})
	}
	return replay.Apply(payload, edits...)
}

// wait waits until so long after a request, when times are as recorded.
func (m *Server) wait(ctx context.Context, began time.Time, after int64) {
	if m.Timing {
		pause(ctx, time.Until(began.Add(time.Duration(after))))
	}
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// apart is how long the response to a call waits after its progress, when times are not
// as recorded. Clients handle a response before notifications that they read together
// with it (TypeScript SDK v1), and progress of a call that has ended is an error to them.
const apart = 25 * time.Millisecond

// settle keeps the response to a call apart from its progress.
func (m *Server) settle(ctx context.Context, call int32, r *wire.Message) {
	if !m.Timing && len(m.parts.during[call]) > 0 && wire.Get(r.Params, "_meta", mcp.MetaProgressToken) != nil {
		pause(ctx, apart)
	}
}

// patience is how long a client may take to respond to a request of ours.
const patience = time.Minute

// send sends a message of the server, and waits for the response to a request
// that got one in the recording.
func (c *client) send(ctx context.Context, p replay.Sent, recorded, r *wire.Message, send func([]byte)) {
	s := c.mock.Script
	row := s.Row(p.Row)
	payload, err := s.Element(row.Request, row.Batch)
	if err != nil {
		return
	}
	if replay.FindMask(payload) != "" {
		c.mock.say(withheld(s.Name(row)))
		return
	}
	edits := clientEdits(payload, "params", recorded, r)
	if row.Kind == session.RowNotification {
		if s.Name(row) == mcp.NotifyProgress && len(edits) == 0 {
			return // this client did not ask for it
		}
		send(replay.Apply(payload, edits...))
		return
	}
	c.mu.Lock()
	c.lastID++
	id := strconv.Itoa(c.lastID)
	responded := make(chan struct{})
	c.pending[id] = responded
	c.mu.Unlock()
	if e, ok := replay.Replace(payload, jsonpath.Path{{Name: "id"}}, []byte(id)); ok {
		edits = append(edits, e)
	}
	send(replay.Apply(payload, edits...))
	if row.Response == 0 || c.mock.apartFrom(p) && !c.hasStream() {
		return
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-responded:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// clientEdits are the edits that put this client's progress token and subscription id
// instead of the recorded ones. member is params or result.
func clientEdits(payload []byte, member string, recorded, r *wire.Message) []replay.Edit {
	var edits []replay.Edit
	put := func(at jsonpath.Path, with []byte) {
		if e, ok := replay.Replace(payload, at, with); ok && with != nil {
			edits = append(edits, e)
		}
	}
	token := wire.Get(r.Params, "_meta", mcp.MetaProgressToken)
	put(jsonpath.Path{{Name: member}, {Name: mcp.MetaProgressToken}}, token)
	at := jsonpath.Path{{Name: member}, {Name: "_meta"}, {Name: mcp.MetaSubscriptionID}}
	if wire.ID(at.Get(payload)) == wire.ID(recorded.ID) {
		put(at, r.ID)
	}
	return edits
}

// received takes what gets no response: a response to a request of ours, or a
// notification.
func (c *client) received(m *wire.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case m.IsResponse():
		if responded := c.pending[wire.ID(m.ID)]; responded != nil {
			delete(c.pending, wire.ID(m.ID))
			close(responded)
		}
	case string(m.Method) == mcp.NotifyCancelled:
		if cancel := c.running[wire.ID(wire.Get(m.Params, "requestId"))]; cancel != nil {
			cancel()
		}
	}
}

// run notes a request as running until done is called.
func (c *client) run(ctx context.Context, id []byte) (inner context.Context, done func()) {
	inner, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	c.running[wire.ID(id)] = cancel
	c.mu.Unlock()
	return inner, func() {
		c.mu.Lock()
		delete(c.running, wire.ID(id))
		c.mu.Unlock()
		cancel()
	}
}

// sendUnprompted sends what the server sent unprompted after a call.
func (c *client) sendUnprompted(ctx context.Context, call int32, r *wire.Message) {
	for _, p := range c.mock.parts.after[call] {
		recorded, _ := c.mock.Script.Request(call)
		c.send(ctx, p, &recorded, r, c.sendUnrelated)
	}
}

// sendUnrelated sends what belongs to no request, now or when there is a stream.
func (c *client) sendUnrelated(payload []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.out == nil {
		c.queue = append(c.queue, payload)
		return
	}
	c.out(payload)
}

// open gives a client a stream for what belongs to no request; nil takes it.
func (c *client) open(out func([]byte)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out = out
	if out == nil {
		return
	}
	for _, payload := range c.queue {
		out(payload)
	}
	c.queue = nil
}
