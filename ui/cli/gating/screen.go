package gating

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"midwire/intercept/gate"
	"midwire/ui/gating"
)

// Screen implements gating.Gates by control sockets.
type Screen struct{}

// told is a line of the events of a gate.
type told struct {
	Lease    string
	Patience int64 `json:"patience_ms"`
	State    *gate.Snapshot
}

// Attach implements gating.Gates.
func (Screen) Attach(ctx context.Context, address string) (gating.Controller, error) {
	h, base, err := gate.Reach(address)
	if err != nil {
		return nil, err
	}
	return (&client{http: h, base: base, id: "this proxy"}).attach(ctx)
}

// attach becomes a controller of the gate, until ctx ends.
func (g *client) attach(ctx context.Context) (gating.Controller, error) {
	ctx, stop := context.WithCancel(ctx)
	c := &controller{client: *g, ctx: ctx, stop: stop, news: make(chan struct{}, 1), ended: make(chan struct{})}
	lines, err := c.begin()
	if err != nil {
		stop()
		return nil, err
	}
	go c.follow(lines)
	return c, nil
}

// controller is one connection to a control socket.
type controller struct {
	client
	ctx      context.Context
	stop     context.CancelFunc
	lease    string
	patience time.Duration
	news     chan struct{} // the state is another
	ended    chan struct{} // closed when nothing more comes
	heard    atomic.Int64  // when the screen last asked, in Unix nanoseconds
	away     atomic.Bool

	mu    sync.Mutex // guards all below
	state gate.Snapshot
}

// begin asks for the events, of which the first has the lease.
func (c *controller) begin() (*json.Decoder, error) {
	r, err := http.NewRequestWithContext(c.ctx, http.MethodGet, c.base+"/events", nil)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		resp.Body.Close()
		return nil, errors.New(resp.Status)
	}
	context.AfterFunc(c.ctx, func() { resp.Body.Close() })
	lines := json.NewDecoder(resp.Body)
	var first told
	if err := lines.Decode(&first); err != nil {
		return nil, err
	}
	c.lease, c.patience = first.Lease, time.Duration(first.Patience)*time.Millisecond
	c.heard.Store(time.Now().UnixNano())
	c.take(first.State)
	return lines, nil
}

func (c *controller) take(s *gate.Snapshot) {
	if s == nil {
		return
	}
	c.mu.Lock()
	c.state = *s
	c.mu.Unlock()
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// follow takes the events in. The gate sends them often enough to tell it with each
// that the screen is there: as long as it asks for them.
func (c *controller) follow(lines *json.Decoder) {
	defer close(c.ended)
	defer c.stop()
	for {
		var line told
		if lines.Decode(&line) != nil {
			return
		}
		c.take(line.State)
		if c.speaks() {
			if c.Do(gating.Order{Do: "alive"}) != nil {
				return
			}
		}
	}
}

// speaks says whether the screen is there: it asked a while ago, or said that it is
// away.
func (c *controller) speaks() bool {
	silent := time.Now().UnixNano() - c.heard.Load()
	return c.away.Load() || silent < int64(c.patience)
}

// Lease implements gating.Controller.
func (c *controller) Lease() string { return c.lease }

// Next implements gating.Controller.
func (c *controller) Next() (gate.Snapshot, error) {
	c.heard.Store(time.Now().UnixNano())
	select {
	case <-c.news:
	case <-c.ended:
		return gate.Snapshot{}, errors.New("the proxy has ended, or its gate")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, nil
}

// Show implements gating.Controller.
func (c *controller) Show(id int) (gate.Held, error) {
	ctx, stop := context.WithTimeout(c.ctx, c.patience)
	defer stop()
	return c.held(ctx, id, url.Values{"lease": {c.lease}})
}

// Do implements gating.Controller.
func (c *controller) Do(o gating.Order) error {
	ctx, stop := context.WithTimeout(c.ctx, c.patience)
	defer stop()
	if err := c.do(ctx, o, url.Values{"lease": {c.lease}}); err != nil {
		return fmt.Errorf("%s: %w", o.Do, err)
	}
	return nil
}

// Away implements gating.Controller.
func (c *controller) Away(on bool) {
	c.away.Store(on)
	c.heard.Store(time.Now().UnixNano())
}

// Close implements gating.Controller: the gate releases what this one held.
func (c *controller) Close() { c.stop() }
