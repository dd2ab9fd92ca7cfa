package hub

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"time"
)

// aliveEvery is how often a stream on which nothing happens says that it is there.
const aliveEvery = 15 * time.Second

// reply is where the client of one POST waits: for one response as JSON, or for a
// stream of events if something comes before it. Any goroutine may call its
// methods.
type reply struct {
	takes bool // the client takes events

	mu     sync.Mutex // guards below
	w      http.ResponseWriter
	open   bool // a stream has begun
	closed bool
	alive  *time.Timer
	// Of a client without a session: what servers want to know of it, said by asked;
	// and whether it wants no messages of their logs.
	questions [][]byte
	asked     chan struct{}
	quiet     bool
}

func newReply(w http.ResponseWriter, r *http.Request) *reply {
	p := &reply{w: w, takes: strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream")}
	if p.takes {
		p.alive = time.AfterFunc(aliveEvery, p.breathe)
	}
	return p
}

// breathe tells a client that waits for long that somebody is there.
func (p *reply) breathe() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.begin()
	_, _ = p.w.Write([]byte(": midwire\n\n"))
	flush(p.w)
	p.alive.Reset(aliveEvery)
}

// begin begins the stream. The caller holds mu.
func (p *reply) begin() {
	if !p.open {
		p.open = true
		beginStream(p.w)
	}
}

func beginStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache, no-transform")
	w.WriteHeader(http.StatusOK)
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// event passes on a message as an event, if that is still possible.
func (p *reply) event(m []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || !p.takes {
		return false
	}
	p.begin()
	return writeEvent(p.w, m) == nil
}

// writeEvent writes a message as an event. Its lines stay.
func writeEvent(w http.ResponseWriter, m []byte) error {
	b := []byte("event: message\n")
	for line := range bytes.Lines(m) {
		b = append(append(append(b, "data: "...), bytes.TrimRight(line, "\r\n")...), '\n')
	}
	_, err := w.Write(append(b, '\n'))
	flush(w)
	return err
}

// finish ends the reply with a response; nil when there is none.
func (p *reply) finish(status int, m []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.close()
	switch {
	case p.open && m != nil:
		_ = writeEvent(p.w, m)
	case p.open:
	case m != nil:
		p.w.Header().Set("Content-Type", "application/json")
		p.w.WriteHeader(status)
		_, _ = p.w.Write(m)
	default:
		p.w.WriteHeader(http.StatusAccepted)
	}
}

// abandon ends the reply without another byte: its client has left.
func (p *reply) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.close()
}

func (p *reply) close() {
	p.closed = true
	if p.alive != nil {
		p.alive.Stop()
	}
}

// maxWaiting bounds what waits for a client that does not listen, in bytes.
const maxWaiting = 4 << 20

// outbox holds what a client is to be told that is part of none of its requests,
// until it listens. Any goroutine may call its methods.
type outbox struct {
	mu     sync.Mutex // guards below
	wait   [][]byte
	size   int
	reader chan struct{} // of the one that listens, closed when another takes its place; nil for none
	wake   chan struct{}
}

// put adds a message, and says how many had to make room for it.
func (o *outbox) put(m []byte) (dropped int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.wait = append(o.wait, m)
	for o.size += len(m); o.size > maxWaiting && len(o.wait) > 1; dropped++ {
		o.size -= len(o.wait[0])
		o.wait = o.wait[1:]
	}
	select {
	case o.wake <- struct{}{}:
	default:
	}
	return dropped
}

func (o *outbox) listens() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reader != nil
}

// take makes the caller the one that listens, instead of who did so far.
func (o *outbox) take() (replaced chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reader != nil {
		close(o.reader)
	}
	o.reader = make(chan struct{})
	return o.reader
}

func (o *outbox) leave(mine chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reader == mine {
		o.reader = nil
	}
}

func (o *outbox) next() (m []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.wait) > 0 {
		m, o.wait = o.wait[0], o.wait[1:]
		o.size -= len(m)
	}
	return m
}

// serve writes what comes to the client of a GET until it leaves, another one
// takes its place, or over is closed. as says how a message is written, nil for not
// at all.
func (o *outbox) serve(w http.ResponseWriter, r *http.Request, over <-chan struct{}, as func(m []byte) []byte) {
	mine := o.take()
	defer o.leave(mine)
	beginStream(w)
	flush(w)
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		for m := o.next(); m != nil; m = o.next() {
			if m = as(m); m != nil && writeEvent(w, m) != nil {
				return
			}
		}
		select {
		case <-o.wake:
		case <-alive.C:
			if _, err := w.Write([]byte(": midwire\n\n")); err != nil {
				return
			}
			flush(w)
		case <-r.Context().Done():
			return
		case <-mine:
			return
		case <-over:
			return
		}
	}
}
