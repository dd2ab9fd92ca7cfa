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

// Relays relays connections that someone else has accepted, each to its own
// origin, into one recording. Nothing is edited on the way. Its methods may
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
	// See, if any, is given what passes before it is passed on, in the goroutine
	// of each direction. It must not change it.
	See      func(d wire.Dir, p []byte)
	Upstream *Upstream // from Dial; nil to connect when it is needed
	Absolute bool      // the client gave the whole URL of an http origin, as to a proxy
}

// Upstream is a connection to an origin, or why there is none. Who does not
// relay it closes it.
type Upstream struct {
	conn  net.Conn
	proto string
	err   error
}

// Close closes the connection.
func (u *Upstream) Close() {
	if u.conn != nil {
		u.conn.Close()
	}
}

// Dial connects to an origin before the client's side is settled. nil: a server
// that wants a certificate of the client's, with which only the client can do.
func (r *Relays) Dial(ctx context.Context, target *url.URL) *Upstream {
	var u Upstream
	d := r.run(target).Dial
	if !d.asked.Load() {
		u.conn, u.proto, u.err = d.dial(ctx, target)
	}
	if d.asked.Load() {
		u.Close()
		return nil
	}
	return &u
}

// NewRelays starts a recording, which record makes. dialer makes the Dialer of
// an origin. trouble is called with errors, in its own goroutine.
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
	n.edits, n.upstream, n.absolute = l.Edits, l.Upstream, l.Absolute
	if l.See != nil {
		n.up.edit, n.down.edit = sight{l.See, wire.ToServer}, sight{l.See, wire.ToClient}
	}
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

// sight lets someone see what passes.
type sight struct {
	see func(wire.Dir, []byte)
	dir wire.Dir
}

func (s sight) edit(p []byte) ([]byte, error) {
	s.see(s.dir, p)
	return p, nil
}

func (sight) rest() []byte { return nil }

// DialTunnel connects to HOST:PORT for bytes that are passed on unread, through
// the user's own proxy for that scheme if there is one. absolute is that of Link.
func (d *Dialer) DialTunnel(ctx context.Context, scheme, hostport string, absolute bool) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	u := &url.URL{Scheme: scheme, Host: hostport}
	if absolute {
		return d.dialAbsolute(ctx, u)
	}
	return d.dialRaw(ctx, u)
}
