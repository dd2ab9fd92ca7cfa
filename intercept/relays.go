package intercept

import (
	"context"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/wire"
)

// Relays relays connections that somebody else has accepted, each to an origin
// of its own, into one recording. Nothing is edited on the way. Its methods may
// be called by several goroutines.
type Relays struct {
	tap     *Tap
	trouble func(error)
	dialer  func() *Dialer
	last    atomic.Uint32

	mu   sync.Mutex // guards runs
	runs map[string]*httpRun
}

// Link is a client's connection and where it goes.
type Link struct {
	ID     uint32 // from Number
	Client net.Conn
	Target *url.URL    // the origin
	Edits  []wire.Edit // made before the first byte
}

// NewRelays starts a recording, which record makes. dialer makes the Dialer of
// an origin. trouble is told, in a goroutine of its own, what goes wrong.
func NewRelays(
	open func() *record.Writer, started time.Time, dialer func() *Dialer, trouble func(error),
) *Relays {
	return &Relays{tap: newTap(open, started, trouble), trouble: trouble, dialer: dialer, runs: map[string]*httpRun{}}
}

// WithGate puts a gate before every connection. It is called before the first.
func (r *Relays) WithGate(g *gate.Gate) { r.tap.withGate(g) }

// Number numbers a connection of the recording.
func (r *Relays) Number() uint32 { return r.last.Add(1) }

// Tell has a fact recorded, behind everything relayed so far.
func (r *Relays) Tell(f wire.Frame, payload any) { r.tap.tell(f, payload) }

// Relay connects to the origin and relays until both directions are over, and
// closes the client's connection. When ctx ends both connections are cut. A
// server that cannot be reached is answered for.
func (r *Relays) Relay(ctx context.Context, l Link) {
	n := newRelay(r.run(l.Target), l.ID, l.Client)
	n.edits = l.Edits
	stop := context.AfterFunc(ctx, n.abort)
	defer stop()
	n.run()
}

// run is what the connections to one origin share.
func (r *Relays) run(target *url.URL) *httpRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := target.Scheme + "://" + target.Host
	run := r.runs[key]
	if run == nil {
		run = &httpRun{tap: r.tap, forward: true, HTTP: &HTTP{
			Target: target, Dial: r.dialer(), OnTrouble: r.trouble, KeepHost: true,
		}}
		r.runs[key] = run
	}
	return run
}

// Close completes the recording. Nothing must be relayed any more.
func (r *Relays) Close() { r.tap.close() }

// DialTunnel connects to HOST:PORT for bytes that are passed on unread, through
// the user's own proxy if there is one for https.
func (d *Dialer) DialTunnel(ctx context.Context, scheme, hostport string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if scheme != "https" {
		return new(net.Dialer).DialContext(ctx, "tcp", hostport)
	}
	return d.dialRaw(ctx, &url.URL{Scheme: scheme, Host: hostport})
}

// CloseWrite half-closes a connection.
func CloseWrite(c net.Conn) { closeWrite(c) }

// Reset ends a connection so that its other side sees a failure and not an end.
func Reset(c net.Conn) { reset(c) }
