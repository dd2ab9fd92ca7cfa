package hub

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"midwire/session/mcp"
)

// aliveEvery is how often a stream on which nothing happens says that it is there, and
// maxWrite how long a client may take to read what it is sent.
const (
	aliveEvery = 15 * time.Second
	maxWrite   = time.Minute
)

// reply is where the client of one POST waits: for one response as JSON, or for a
// stream of events if it takes them. Any goroutine may call its methods.
type reply struct {
	takes  bool // the client takes events
	params http.Header

	mu     sync.Mutex // guards below
	w      http.ResponseWriter
	open   bool // a stream has begun
	closed bool
	alive  *time.Timer
	trail  *trail // of a client with a session: what it may ask for again; nil for nothing
	// Of a client without a session: the id of its request, what servers want to know
	// of it, said by asked; and whether it wants no messages of their logs.
	given     []byte
	questions [][]byte
	asked     chan struct{}
	quiet     bool
}

func newReply(w http.ResponseWriter, r *http.Request) *reply {
	p := &reply{
		w: w, takes: strings.Contains(strings.Join(r.Header.Values("Accept"), ","), "text/event-stream"),
		params: mirrored(r.Header),
	}
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
	p.alive.Reset(aliveEvery)
	if p.w != nil {
		p.begin()
		_ = write(p.w, []byte(": midwire\n\n"))
	}
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

// write writes to a client at once. One that does not read holds up nobody for long.
func write(w http.ResponseWriter, text []byte) error {
	c := http.NewResponseController(w)
	_ = c.SetWriteDeadline(time.Now().Add(maxWrite))
	defer func() { _ = c.SetWriteDeadline(time.Time{}) }()
	if _, err := w.Write(text); err != nil {
		return err
	}
	return c.Flush()
}

// event passes on a message as an event, if that is still possible.
func (p *reply) event(m []byte) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.put(m)
}

// put is event for a caller that holds mu. What a client that has left may ask for
// again is kept.
func (p *reply) put(m []byte) bool {
	if p.closed || !p.takes || p.w == nil && p.trail == nil {
		return false
	}
	text := asEvent(p.trail.add(m), m)
	if p.w == nil {
		return true
	}
	p.begin()
	if write(p.w, text) == nil {
		return true
	}
	p.w = nil
	return p.trail != nil
}

// asEvent writes a message as an event, under an id unless it is "". Its lines stay.
func asEvent(id string, m []byte) []byte {
	var b []byte
	if id != "" {
		b = fmt.Appendf(b, "id: %s\n", id)
	}
	if len(m) == 0 { // which only says the id
		return append(b, "data: \n\n"...)
	}
	b = append(b, "event: message\n"...)
	for line := range bytes.Lines(m) {
		b = append(append(append(b, "data: "...), bytes.TrimRight(line, "\r\n")...), '\n')
	}
	return append(b, '\n')
}

// finish ends the reply with a response; nil when there is none. What has no error as
// its status is a stream for a client that takes events.
func (p *reply) finish(status int, m []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	switch {
	case m != nil && (p.open || status == http.StatusOK && p.takes):
		p.put(m)
	case p.open || p.w == nil:
	case m == nil && status == http.StatusOK && p.takes:
		p.begin()
	case m != nil:
		p.w.Header().Set("Content-Type", "application/json")
		p.w.WriteHeader(status)
		_ = write(p.w, m)
	default:
		p.w.WriteHeader(status)
	}
	p.close()
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
	p.trail.release()
}

// outbox holds what a client is to be told that is part of none of its requests,
// until it listens. Any goroutine may call its methods.
type outbox struct {
	mu     sync.Mutex // guards below
	trail  trail
	next   int           // the number of the event that is to be written next
	reader chan struct{} // of the one that listens, closed when another takes its place; nil for none
	wake   chan struct{}
}

// put adds a message, and says how many that nobody has seen had to make room for it.
func (o *outbox) put(m []byte) (dropped int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.trail.add(m)
	if o.next < o.trail.first {
		dropped, o.next = o.trail.first-o.next, o.trail.first
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

// take makes the caller the one that listens, instead of who did so far. What came
// after the event that it has seen last is written again; "" for none.
func (o *outbox) take(last string) (replaced chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.reader != nil {
		close(o.reader)
	}
	if name, n := eventNumber(last); name == o.trail.name {
		o.next = min(max(n+1, o.trail.first), o.next)
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

// event is the next to be written, nil for none.
func (o *outbox) event() (text []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i := o.next - o.trail.first; i < len(o.trail.events) {
		text = asEvent(o.trail.id(o.next), o.trail.events[i])
		o.next++
	}
	return text
}

// serve writes what comes to the client of a GET until it leaves, another one
// takes its place, or over is closed.
func (o *outbox) serve(w http.ResponseWriter, r *http.Request, over <-chan struct{}) {
	mine := o.take(r.Header.Get(mcp.HeaderLastEventID))
	defer o.leave(mine)
	beginStream(w)
	flush(w)
	alive := time.NewTicker(aliveEvery)
	defer alive.Stop()
	for {
		for text := o.event(); text != nil; text = o.event() {
			if write(w, text) != nil {
				return
			}
		}
		select {
		case <-o.wake:
		case <-alive.C:
			if write(w, []byte(": midwire\n\n")) != nil {
				return
			}
		case <-r.Context().Done():
			return
		case <-mine:
			return
		case <-over:
			return
		}
	}
}
