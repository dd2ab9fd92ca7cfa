package hub

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"midwire/session/mcp"
)

// A client with a session whose stream breaks asks for the rest of it, with the id of
// the last event that it has seen (2025-11-25 basic/transports: Resumability and
// Redelivery). A request goes on meanwhile: a connection that breaks cancels nothing.

// maxTrail bounds what is kept of the stream of a request, in bytes, maxTrails the
// streams of one session, and maxWaiting what is kept for the stream without a request.
const (
	maxTrail   = 1 << 20
	maxTrails  = 32
	maxWaiting = 4 << 20
)

// trail is what was sent on a stream, for who asks for it again. Its owner's lock guards
// it. A nil one keeps nothing.
type trail struct {
	name   string // of the stream, in the ids of its events
	most   int    // how many bytes are kept
	least  int    // how many events are kept, whatever their size
	events [][]byte
	first  int // the number of the first event that is kept
	size   int
	left   chan struct{} // closed when another response takes the events, or none does any more
	cancel context.CancelFunc
}

// add keeps an event, and returns its id.
func (t *trail) add(m []byte) string {
	if t == nil {
		return ""
	}
	t.events = append(t.events, m)
	for t.size += len(m); t.size > t.most && len(t.events) > t.least; t.first++ {
		t.size -= len(t.events[0])
		t.events = t.events[1:]
	}
	return t.id(t.first + len(t.events) - 1)
}

func (t *trail) id(n int) string { return fmt.Sprintf("%s-%d", t.name, n) }

// release tells the response that has taken the events that it is over.
func (t *trail) release() {
	if t != nil && t.left != nil {
		close(t.left)
		t.left = nil
	}
}

// eventNumber takes the id of an event apart; "" when it is none of the hub's.
func eventNumber(id string) (stream string, n int) {
	at := strings.LastIndexByte(id, '-')
	n, err := strconv.Atoi(id[at+1:])
	if at < 0 || err != nil || n < 0 {
		return "", 0
	}
	return id[:at], n
}

// keep makes the stream of a POST one that can be asked for again, and returns the
// channel that says when this response is over.
func (s *session) keep(p *reply, cancel context.CancelFunc) <-chan struct{} {
	t := &trail{most: maxTrail, left: make(chan struct{}), cancel: cancel}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trail = t
	s.mu.Lock()
	s.lastID++
	t.name = fmt.Sprint(s.lastID)
	s.trails = append(s.trails, p)
	var old *reply
	if len(s.trails) > maxTrails {
		old, s.trails = s.trails[0], s.trails[1:]
	}
	primes := mcp.Version(s.rec.Version) >= mcp.V20251125
	s.mu.Unlock()
	if old != nil {
		s.hub.wg.Go(old.forget)
	}
	if primes { // earlier clients take an event without data for a broken message
		p.put(nil)
	}
	return t.left
}

// forget keeps nothing of a stream any more. One that nobody reads is over.
func (p *reply) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.trail
	if p.w == nil && !p.closed {
		t.cancel()
		p.close()
	}
	t.events, t.size = nil, 0
}

// detach is said when the client of a response has left: what it waits for goes on.
func (p *reply) detach(mine <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.trail.left == mine {
		p.w, p.trail.left = nil, nil
	}
}

// rest writes what came after an event to a client that has come back, until the
// stream ends or the client leaves. False when there is nothing of it.
func (s *session) rest(w http.ResponseWriter, r *http.Request, last string) bool {
	name, n := eventNumber(last)
	s.mu.Lock()
	var p *reply
	for _, of := range s.trails {
		if of.trail.name == name {
			p = of
		}
	}
	s.mu.Unlock()
	if p == nil {
		return false
	}
	mine := p.rebegin(w, n+1)
	if mine == nil {
		return false
	}
	select {
	case <-mine:
	case <-r.Context().Done():
		p.detach(mine)
	}
	return true
}

// rebegin makes a response the one that takes the events from one of them on. nil when
// the stream has ended before it.
func (p *reply) rebegin(w http.ResponseWriter, from int) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.trail
	end := t.first + len(t.events)
	if p.closed && from >= end {
		return nil
	}
	t.release()
	p.w, p.open = w, false
	p.begin()
	for n := max(from, t.first); n < end; n++ {
		_ = write(w, asEvent(t.id(n), t.events[n-t.first]))
	}
	flush(w)
	mine := make(chan struct{})
	t.left = mine
	if p.closed {
		t.release()
	}
	return mine
}
