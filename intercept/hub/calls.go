package hub

import (
	"context"
	"errors"

	"midwire/session/mcp"
)

// call is a request that a backend has not answered yet.
type call struct {
	id     string
	client string // the id that the client gave it, where id is another; "" for the same
	method string
	token  string // of progress, raw; "" for none
	given  string // what the client calls that token, or its subscription, raw; "" for the same
	at     int64  // when it was passed on, among the messages of its backend
	reply  *reply // where its client waits; nil for the hub itself
	// listener gets what comes by the hub's own subscription; nil for a client with a
	// session.
	listener *listener
	// done gets the response, or one of ours. It has room for it.
	done chan []byte
	// over is closed when the response was taken: what carries more of it may end.
	over chan struct{}
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
	if err := l.send(b.inEra(m), c); err != nil {
		b.settle(c.id, b.failed([]byte(c.id), err))
	}
	select {
	case response := <-c.done:
		return response
	case <-ctx.Done():
		if b.drop(c) && b.isModern() {
			_ = b.withdraw(c.id)
		}
		text := "the server %s did not answer in time"
		if b.s.ctx.Err() != nil {
			text = "the session has ended before the server %s has answered"
		}
		return failure([]byte(c.id), mcp.CodeInternalError, b.part.Name, text, b.part.Name)
	}
}

// failed is the response for a request that the server cannot be given.
func (b *backend) failed(id []byte, err error) []byte {
	return failure(id, mcp.CodeInternalError, b.part.Name, "server %s: %v", b.part.Name, b.masked(err))
}

// drop forgets a call, if it has no response yet.
func (b *backend) drop(c *call) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	has := b.calls[c.id] == c
	if has {
		delete(b.calls, c.id)
	}
	return has
}

// withdraw tells a server that nobody waits for a call any more. A remote one of
// 2026-07-28 is told so by the end of the connection.
func (b *backend) withdraw(id string) error {
	b.mu.Lock()
	_, isRemote := b.leg.(*remote)
	b.mu.Unlock()
	if isRemote && b.isModern() {
		return nil
	}
	return b.tell(notification(mcp.NotifyCancelled, []byte(`{"requestId":`+id+`}`)))
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

// idOf is what the server calls a request that the client names by its id.
func (b *backend) idOf(client string) (id string, has bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.calls {
		if client != "" && c.client == client {
			return c.id, true
		}
	}
	_, has = b.calls[client]
	return client, has
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
