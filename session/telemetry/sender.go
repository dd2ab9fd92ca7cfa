package telemetry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"midwire/session/export"
	"midwire/session/library"
	"midwire/session/record"
	"midwire/session/semconv"
	"midwire/session/wire"
)

const (
	batchSpans  = 512
	batchBytes  = 1 << 20
	batchPeriod = 5 * time.Second

	// What proxies left behind that were killed is sent by the next one, unless it is old:
	// collectors refuse that.
	leftFor  = 72 * time.Hour
	leftMost = 100

	sayPeriod = time.Minute // between two remarks on the collector
)

// ErrSentBefore: all of a recording was sent to the collector before.
var ErrSentBefore = errors.New("all of it was sent there before")

// errLeft: time is short and the collector does not take more.
var errLeft = errors.New("not all spans were sent. The next attempt continues where this one stopped")

// Sender sends the spans of recordings to one collector. The fields are set before the
// first use; its methods may be called from any goroutine.
type Sender struct {
	Endpoint *Endpoint
	Version  string
	Options  record.Options // what is masked, besides what the recordings have masked
	Say      func(error)    // what goes wrong, seldom
	Again    bool           // from the beginning, and no position is read or kept
	Follow   bool           // recordings that grow are followed, else read as far as they are there
	Attempts int            // of each request; 0 for as many as it takes

	maxRows       int           // of a part, 0 for the usual
	first, period time.Duration // of waiting, and of batches; 0 for the usual

	once   sync.Once
	poster *poster
	slots  chan struct{} // of requests at once

	Sent, Refused, Retried atomic.Int64 // spans, and requests

	mu    sync.Mutex // guards the rest
	state string     // what is wrong with the collector
	said  time.Time
}

func (s *Sender) start() {
	s.once.Do(func() {
		s.poster = newPoster(s.Endpoint, s.Version)
		s.slots = make(chan struct{}, 2)
	})
}

// Send sends the spans of a recording, from where it was sent to. It returns when the
// recording has ended and all was sent, or ctx has ended. Hurry, when it is closed, says
// that nothing more is recorded and that each batch is tried once more only.
func (s *Sender) Send(ctx context.Context, hurry <-chan struct{}, path string) error {
	s.start()
	b := &batch{Sender: s, ctx: ctx, hurry: hurry, position: &position{}}
	if !s.Again {
		p, err := openPosition(path, s.Endpoint.URL)
		switch {
		case errors.Is(err, errTaken):
			return err
		case err != nil:
			s.say(fmt.Errorf("%w. Spans are sent; after a restart some may be sent again", err))
		}
		if p != nil {
			b.position = p
		}
	}
	defer b.position.close()
	if b.position.Done {
		return ErrSentBefore
	}
	w := &walk{
		path: path, version: s.Version, options: s.Options, hurry: hurry, maxRows: s.maxRows, once: !s.Follow,
		begin: b.begin, frame: func(*wire.Frame) {}, over: b.ended, idle: b.idle, end: b.end,
	}
	return w.run(ctx)
}

// Leftovers sends what is left of recordings in a folder that were sent here by
// proxies that are gone.
func (s *Sender) Leftovers(ctx context.Context, hurry <-chan struct{}, dir string) {
	all, err := record.List(dir)
	if err != nil {
		return
	}
	all = slices.DeleteFunc(all, func(e record.Entry) bool {
		return e.Live || e.Err != nil || time.Since(e.Modified) > leftFor || !unsent(e.Path, s.Endpoint.URL)
	})
	for _, e := range all[max(0, len(all)-leftMost):] {
		if err := s.Send(ctx, hurry, filepath.Clean(e.Path)); ctx.Err() != nil || errors.Is(err, errLeft) {
			return
		}
	}
}

// batch is what waits to be sent of one recording.
type batch struct {
	*Sender
	ctx      context.Context
	hurry    <-chan struct{}
	position *position
	resource []string

	spans [][]byte
	size  int
	since time.Time // of the first of them
	at    place     // of the latest span
}

func (b *batch) begin(h record.Header) {
	b.resource = []string{semconv.ServiceInstanceID, h.ID, semconv.RecordingLabel, library.Mask(b.Options)(h.Label)}
	if !slices.Contains(b.Endpoint.Resource, semconv.ServiceName) {
		b.resource = append(b.resource, semconv.ServiceName, "midwire", semconv.ServiceVersion, b.Version)
	}
	b.resource = append(b.resource, b.Endpoint.Resource...)
}

// ended makes the span of what is over, unless it was sent before.
func (b *batch) ended(n uint64, e ended) error {
	if n == b.at.Frame {
		b.at.Span++
	} else {
		b.at = place{n, 1}
	}
	if !b.position.precedes(b.at) {
		return nil
	}
	var span []byte
	if e.row >= 0 {
		span = e.live.Row(e.row)
	} else {
		span = e.live.Session(e.session)
	}
	if len(b.spans) == 0 {
		b.since = time.Now()
	}
	b.spans, b.size = append(b.spans, span), b.size+len(span)
	if len(b.spans) >= batchSpans || b.size >= batchBytes {
		return b.send()
	}
	return nil
}

func (b *batch) idle() error {
	if !b.Follow || time.Since(b.since) >= cmp.Or(b.period, batchPeriod) {
		return b.send()
	}
	return nil
}

// end is called when the recording has no more.
func (b *batch) end() error {
	if err := b.send(); err != nil {
		return err
	}
	b.position.Done = true
	b.keep()
	return nil
}

// send sends the batch until the collector takes or refuses it.
func (b *batch) send() error {
	if len(b.spans) == 0 {
		return nil
	}
	body := export.Request(b.Version, b.resource, b.spans)
	for failed := 1; ; failed++ {
		b.slots <- struct{}{}
		last := isClosed(b.hurry)
		a := b.poster.post(b.ctx, body)
		<-b.slots
		if !a.again {
			b.sent(a)
			return b.ctx.Err()
		}
		if b.ctx.Err() != nil {
			return errors.Join(errLeft, b.ctx.Err())
		}
		b.trouble(fmt.Sprintf("%s: %v. It is tried again; the recording has what is not sent", b.Endpoint.Shown(), a.err))
		b.Retried.Add(1)
		if last || failed == b.Attempts || !pause(b.ctx, b.hurry, wait(failed, cmp.Or(b.first, firstWait), a.after)) {
			return errLeft
		}
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// sent takes note of what the collector took or refused.
func (b *batch) sent(a answer) {
	n := int64(len(b.spans))
	switch {
	case a.err != nil:
		b.Refused.Add(n)
		b.trouble(fmt.Sprintf("%s refuses spans: %v. They are not sent again; "+
			"midwire export --to otlp --send URL --again sends all of a recording", b.Endpoint.Shown(), a.err))
	case a.rejected > 0:
		b.Sent.Add(max(0, n-a.rejected))
		b.Refused.Add(min(n, a.rejected))
		b.trouble(fmt.Sprintf("%s took a request and refused %d of its spans: %q", b.Endpoint.Shown(), a.rejected, a.why))
	default:
		b.Sent.Add(n)
		b.trouble("")
	}
	b.spans, b.size = nil, 0
	b.position.place = b.at
	b.keep()
}

func (b *batch) keep() {
	if err := b.position.save(); err != nil {
		b.say(err)
	}
}

// trouble says what is wrong with the collector when that changes, "" for nothing.
func (s *Sender) trouble(state string) {
	s.mu.Lock()
	same, was := s.state == state, s.state
	s.state = state
	s.mu.Unlock()
	switch {
	case same:
	case state != "":
		s.say(errors.New(state))
	case was != "":
		s.say(fmt.Errorf("%s takes spans again", s.Endpoint.Shown()))
	}
}

// say says something, not often.
func (s *Sender) say(err error) {
	s.mu.Lock()
	often := time.Since(s.said) < sayPeriod
	if !often {
		s.said = time.Now()
	}
	s.mu.Unlock()
	if !often && s.Say != nil {
		s.Say(fmt.Errorf("warning: otlp: %w", err))
	}
}
