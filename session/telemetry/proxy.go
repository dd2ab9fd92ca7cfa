package telemetry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"midwire/session/defect"
)

// flushTime is how long a proxy that ends waits for its last spans to be sent.
const flushTime = time.Second

// Proxy is the telemetry of a proxy that runs. The zero value tells no one anything.
type Proxy struct {
	Sender  *Sender  // nil for none
	Metrics *Metrics // nil for none
	Say     func(error)

	mu     sync.Mutex // guards the rest
	begun  bool
	early  []string // to be followed
	ctx    context.Context
	cancel context.CancelFunc
	hurry  chan struct{}
	over   bool
	runs   sync.WaitGroup
}

// Begin has the recordings read that are to be followed. Before it nothing is done. A nil
// Proxy tells no one anything.
func (p *Proxy) Begin() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.begun = true
	early := p.early
	p.early = nil
	p.mu.Unlock()
	for _, path := range early {
		p.Follow(path)
	}
}

// Follow has a recording read from now on, and does not wait for anything. With the
// first one, what earlier proxies could not send is sent as well.
func (p *Proxy) Follow(path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if path == "" || p.over {
		return
	}
	if !p.begun {
		p.early = append(p.early, path)
		return
	}
	first := p.ctx == nil
	if first {
		p.ctx, p.cancel = context.WithCancel(context.Background())
		p.hurry = make(chan struct{})
	}
	if m := p.Metrics; m != nil {
		p.run("the counting for metrics", func() error { return m.Read(p.ctx, p.hurry, path) })
	}
	if s := p.Sender; s != nil {
		p.run("the sending of spans", func() error { return s.Send(p.ctx, p.hurry, path) })
		if first {
			p.run("the sending of spans", func() error { s.Leftovers(p.ctx, p.hurry, filepath.Dir(path)); return nil })
		}
	}
}

// run does something that may fail as it likes: the proxy does not notice.
func (p *Proxy) run(unit string, do func() error) {
	p.runs.Go(func() {
		var err error
		if d := defect.Guard(unit, 0, func() { err = do() }); d != nil {
			err = d
		}
		if err != nil && !errors.Is(err, errLeft) && p.ctx.Err() == nil && p.Say != nil {
			p.Say(fmt.Errorf("warning: %s: %w", unit, err))
		}
	})
}

// Stop is called when the recordings are complete. It waits a little for the last spans;
// what could not be sent is sent by the next proxy.
func (p *Proxy) Stop() {
	p.mu.Lock()
	over := p.over || p.ctx == nil
	p.over = true
	p.mu.Unlock()
	if over {
		return
	}
	close(p.hurry)
	done := make(chan struct{})
	go func() { p.runs.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(flushTime):
		if p.Say != nil && p.Sender != nil {
			p.Say(fmt.Errorf("warning: otlp: not all spans were sent within %v. The next proxy with the same --otlp sends the rest", flushTime))
		}
	}
	p.cancel()
}
