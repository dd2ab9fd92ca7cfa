package intercept

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/record/redact"
)

// drainTime is how long running exchanges may continue after the tap is asked to
// end. Ending one would cancel the work behind it.
const drainTime = 500 * time.Millisecond

// HTTP is a tap that stands in for the origin of an MCP server: every path of
// it, whatever its transport.
//
// It is a relay of connections, not of requests: each client connection has
// its own connection to the server, and bytes are passed between the two as
// they come. Keep-alive, pipelining, upgrades, trailers, disconnects and resets
// come out right because nothing is done about them.
type HTTP struct {
	Target  *url.URL       // the server, as from ParseTarget. Path and query are not used
	Listen  net.Listener   // where clients connect. Run closes it
	Record  *record.Writer // Run closes it
	Started time.Time      // as in the recording's header
	// OnTrouble is called, in its own goroutine, when the recording does not
	// keep up, and once when there are no file descriptors for another client,
	// and once when the server cannot be reached. The Writer's own trouble it
	// tells itself. nil for no one.
	OnTrouble func(error)

	Dial       *Dialer  // nil for a direct one
	KeepHost   bool     // pass on the Host the client sent; otherwise it becomes the target's
	AllowHosts []string // with KeepHost false: other names by which clients may call us

	Gate *gate.Gate // nil for none
}

// ParseTarget reads the URL of a server as a user gives it. The Host of one on a UNIX socket
// is unix: and the file; ShowTarget writes it.
func ParseTarget(raw string) (*url.URL, error) {
	if u, err := parseSocket(raw); err != nil {
		return nil, fmt.Errorf("target %q is not the URL of a UNIX socket: %w", redact.Text(raw), err)
	} else if u != nil {
		return u, nil
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		if inner := (*url.Error)(nil); errors.As(err, &inner) { // which says the URL with all that is in it
			err = inner.Err
		}
		return nil, fmt.Errorf("target %q is not a URL: %w", redact.Text(raw), err)
	case u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		return nil, fmt.Errorf("target %q is not an HTTP URL: give it whole, like http://localhost:3000/mcp", redact.Text(raw))
	}
	return u, nil
}

// Run relays connections until ctx ends, then lets running exchanges finish
// for a moment, cuts what is left, and closes the recording. It returns an
// error only when it cannot accept connections.
func (h *HTTP) Run(ctx context.Context) error {
	if h.Dial == nil {
		h.Dial = &Dialer{}
	}
	// The reader of our output may leave; the traffic continues. What is ignored
	// would be ignored by servers that this process starts, too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	r := &httpRun{
		HTTP: h, tap: newTap(func() *record.Writer { return h.Record }, h.Started, h.OnTrouble),
		conns: map[*relay]struct{}{},
	}
	defer r.tap.close()
	r.tap.withGate(h.Gate)
	stop := context.AfterFunc(ctx, func() { h.Listen.Close() })
	defer stop()
	err := r.accept(ctx)
	r.drain()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

type httpRun struct {
	*HTTP
	tap     *Tap
	forward bool   // part of Relays: nothing is edited
	last    uint32 // number of the latest connection
	lend    buffers
	wg      sync.WaitGroup
	said    sync.Once // that there are no file descriptors
	lost    sync.Once // that the server cannot be reached

	mu    sync.Mutex // guards conns
	conns map[*relay]struct{}
}

func (r *httpRun) accept(ctx context.Context) error {
	for {
		c, err := r.Listen.Accept()
		if err != nil {
			if pause(ctx, err) {
				r.full(err)
				continue
			}
			return fmt.Errorf("listener %s: %w", r.Listen.Addr(), err)
		}
		r.last++
		conn := newRelay(r, r.last, c)
		r.mu.Lock()
		r.conns[conn] = struct{}{}
		r.mu.Unlock()
		r.wg.Go(func() {
			conn.run()
			r.mu.Lock()
			delete(r.conns, conn)
			r.mu.Unlock()
		})
	}
}

// full says once that there are no file descriptors.
func (r *httpRun) full(err error) {
	r.said.Do(func() {
		if r.OnTrouble != nil {
			go r.OnTrouble(fmt.Errorf("clients wait or get 502 for now: %w. Raise the limit with ulimit -n", err))
		}
	})
}

// unreachable says once that the server cannot be reached: when a client is
// there to notice, because a connection to try it may be the only one that the
// server takes.
func (r *httpRun) unreachable(err error) {
	r.lost.Do(func() {
		if r.OnTrouble != nil {
			target := redact.Args([]string{"", ShowTarget(r.Target)})[1] // a log may keep it
			said := make(chan struct{})
			go func() {
				defer close(said)
				r.OnTrouble(fmt.Errorf("%s cannot be reached: %w. Clients get 502 until it can be. Start the server, or check the URL", target, err))
			}()
			select { // the client may leave, and its user end us, with the answer
			case <-said:
			case <-time.After(lastWords):
			}
		}
	})
}

// pause waits a little when accepting failed for want of file descriptors:
// connections that end make room.
func pause(ctx context.Context, err error) bool {
	var op *net.OpError
	if ctx.Err() != nil || errors.Is(err, net.ErrClosed) || !errors.As(err, &op) {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(20 * time.Millisecond):
		return true
	}
}

// drain gives open connections a moment and then cuts them.
func (r *httpRun) drain() {
	over := make(chan struct{})
	go func() { r.wg.Wait(); close(over) }()
	select {
	case <-over:
		return
	case <-time.After(r.patience()):
	}
	r.mu.Lock()
	for c := range r.conns {
		c.abort()
	}
	r.mu.Unlock()
	<-over
}

// patience is how long drain waits: not at all when nothing is under way.
func (r *httpRun) patience() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		if c.busy() {
			return drainTime
		}
	}
	return 0
}
