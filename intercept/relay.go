package intercept

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"midwire/intercept/gate"
	"midwire/session/defect"
	"midwire/session/wire"
)

// lastWords is how long a client that keeps sending may take to read what a
// server said before it left.
const lastWords = time.Second

// relay is one client's connection and its own connection to the server.
type relay struct {
	tap    *Tap
	http   *httpRun
	id     uint32
	client net.Conn
	server net.Conn // nil until dialled; set before the pumps start
	seen   *exchanges
	up     *pump
	down   *pump
	edits  []wire.Edit // made before the first byte

	upstream *Upstream // connected before; nil for a relay that does so itself
	absolute bool      // as in Link

	ctx     context.Context // ends when the connection is to be cut
	cancel  context.CancelFunc
	refused atomic.Bool // we answered a request and end the connection
}

func newRelay(r *httpRun, id uint32, c net.Conn) *relay {
	n := &relay{tap: r.tap, http: r, id: id, client: c}
	n.seen = newExchanges(r.tap, id)
	n.up = &pump{tap: r.tap, src: newSource(c, &r.lend), to: n.seen.requests(), dir: wire.ToServer}
	n.down = &pump{tap: r.tap, dst: c, to: n.seen.responses(), dir: wire.ToClient}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	return n
}

// busy reports whether a request may be waiting for its answer: the last bytes
// came from the client.
func (n *relay) busy() bool { return n.up.last.Load() > n.down.last.Load() }

func (n *relay) abort() {
	n.cancel()
	Reset(n.client)
}

func (n *relay) run() {
	defer n.cancel()
	defer n.client.Close()
	defer defect.Recover("a connection", 0, func(d *defect.Defect) { n.tap.tellTrouble(d) })
	open := wire.Open{Client: n.client.RemoteAddr().String()}
	if n.http.forward {
		if open.Host = n.http.Target.Host; n.http.Target.Scheme == "https" {
			open.Proto = protoTLS
		}
	}
	server, proto, err := n.dial()
	if err != nil {
		open.Error = err.Error()
		n.tap.tell(wire.Frame{Kind: wire.KindOpen, Conn: n.id}, open)
		n.refuse(err)
		return
	}
	n.up.dst, n.down.src = server, newSource(server, &n.http.lend)
	open.Upstream, open.Proto = server.RemoteAddr().String(), proto
	if n.tap.gate != nil {
		r := newRenewed(n, server)
		n.up.dst, n.down.src, server = r, r, r
	}
	n.server = server
	defer server.Close()
	stop := context.AfterFunc(n.ctx, func() { Reset(server) })
	defer stop()
	n.tap.tell(wire.Frame{Kind: wire.KindOpen, Conn: n.id}, open)
	if proto == protoH2 {
		n.tap.tell(wire.Frame{Kind: wire.KindEdit, Conn: n.id}, wire.Edit{What: "http2", Was: "HTTP/1.1", Now: "HTTP/2, the only protocol of the server"})
	}
	for _, e := range n.edits {
		n.tap.tell(wire.Frame{Kind: wire.KindEdit, Conn: n.id}, e)
	}
	n.arm()
	leave := n.tap.join(&carrier{
		tap: n.tap, id: n.id, up: n.up, down: n.down, seen: httpSeen{n.seen}, cut: n.cut, kill: func() {},
	})
	defer leave()
	defer context.AfterFunc(n.ctx, leave)() // a pump may wait for what is held
	n.pumpBoth()
}

// cut ends the connection for the gate.
func (n *relay) cut(how gate.How) {
	n.refused.Store(true)
	if how == gate.Reset {
		n.abort()
		return
	}
	CloseWrite(n.client)
	n.server.Close()
}

// dial connects to the server, in its own goroutine: that takes a deep
// stack, and the goroutine of a pump would keep it while its stream is open.
func (n *relay) dial() (c net.Conn, proto string, err error) {
	if u := n.upstream; u != nil {
		return u.conn, u.proto, u.err
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if !n.absolute {
			c, proto, err = n.http.Dial.dial(n.ctx, n.http.Target)
			return
		}
		ctx, cancel := context.WithTimeout(n.ctx, dialTimeout)
		defer cancel()
		c, err = n.http.Dial.dialAbsolute(ctx, n.http.Target)
	})
	wg.Wait()
	return c, proto, err
}

// arm puts editors where this target needs them. The client of a forward proxy
// calls the server by its own name.
func (n *relay) arm() {
	if n.http.forward {
		return
	}
	watch := &endpointEditor{relay: n}
	n.down.edit = watch
	n.up.edit = getWatcher{watch}
	if !n.http.KeepHost {
		n.up.edit = &hostEditor{relay: n, framer: wire.NewRequestStream(), next: n.up.edit}
	}
}

// pumpBoth runs the two directions and ends the connections the way they ended.
func (n *relay) pumpBoth() {
	var first sync.Once
	var c wire.Close
	end := func(err error, dir wire.Dir) {
		first.Do(func() {
			c = n.closeOf(err, dir)
			n.tap.q.do(n.tap.now(), func(t int64) {
				switch {
				case dir == wire.ToServer && c.By == wire.ByClient:
					n.seen.left = t
				case dir == wire.ToClient && n.seen.asking == nil:
					n.seen.silenced(t, c)
				}
			})
		})
		n.passOn(err, dir)
	}
	var wg sync.WaitGroup
	said := make(chan struct{})
	wg.Go(func() { defer close(said); end(n.down.run(), wire.ToClient) })
	err := n.up.run()
	if errors.As(err, new(errWrite)) {
		// The server has left in the middle of a request. What it said before,
		// like a 413, may not have been passed on yet.
		select {
		case <-said:
		case <-time.After(lastWords):
		}
	}
	end(err, wire.ToServer)
	wg.Wait()
	n.end(c)
}

// passOn ends the other side as one side ended: the end of one direction is a
// half-close; a side that was reset, or that is gone while the other writes, is
// a reset for the other too.
func (n *relay) passOn(err error, dir wire.Dir) {
	switch {
	case n.refused.Load():
		n.linger()
		n.server.Close()
	case err != nil:
		Reset(n.client)
		Reset(n.server)
	case dir == wire.ToServer:
		CloseWrite(n.server)
	default:
		CloseWrite(n.client)
	}
}

// closeOf says who ended the connection first, and how.
func (n *relay) closeOf(err error, dir wire.Dir) wire.Close {
	c := wire.Close{By: wire.ByClient, Clean: err == nil}
	var gone errWrite
	if (dir == wire.ToClient) != errors.As(err, &gone) {
		c.By = wire.ByServer
	}
	if n.ctx.Err() != nil || n.refused.Load() {
		c.By = wire.ByUs
	}
	if err != nil {
		c.Error = err.Error()
	}
	return c
}

// CloseWrite tells the other side that nothing more will come, and leaves its
// way back open.
func CloseWrite(c net.Conn) {
	if h, ok := c.(interface{ CloseWrite() error }); ok {
		_ = h.CloseWrite()
	}
}

// netConn is a connection inside another one.
type netConn interface{ NetConn() net.Conn }

// Reset ends a connection so that its other side sees a failure and not an
// end.
func Reset(c net.Conn) {
	raw := c
	for t, ok := raw.(netConn); ok; t, ok = raw.(netConn) {
		raw = t.NetConn() // TLS: no close_notify either
	}
	if t, ok := raw.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	raw.Close()
}

// refuse answers for a server that cannot be reached: 502 or 504 with one line
// of text, which clients show to their users. Never a 4xx, which a client would
// take for the word of an older server.
func (n *relay) refuse(err error) {
	hint := ". Is the server running?\n"
	switch {
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		n.http.full(err)
		hint = ". midwire has no file descriptor left: raise its limit with ulimit -n\n"
	case errors.As(err, new(*net.DNSError)):
		n.http.unreachable(err)
		hint = ". Is its name right?\n"
	case n.ctx.Err() != nil: // it is over
	default:
		n.http.unreachable(err)
		if errors.As(err, new(handshakeError)) {
			hint = "\n"
		}
	}
	n.answer(GatewayStatus(err), n.cannotReach(err)+hint)
}

func (n *relay) cannotReach(err error) string {
	return "midwire: cannot reach " + n.http.Target.Scheme + "://" + n.http.Target.Host + ": " + err.Error()
}

// GatewayStatus is how a client is told that a server cannot be reached.
func GatewayStatus(err error) string {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return "504 Gateway Timeout"
	}
	return "502 Bad Gateway"
}

// answer waits for a request and answers it ourselves.
func (n *relay) answer(status, text string) {
	if n.readRequest(n.seen.requests()) {
		n.answerNow(status, text)
		n.linger()
	}
	n.end(wire.Close{By: wire.ByUs, Clean: true})
}

// answerNow answers the request that was read last.
func (n *relay) answerNow(status, text string) {
	n.refused.Store(true)
	raw := Answer(status, "", text)
	n.tap.tell(wire.Frame{Kind: wire.KindEdit, Conn: n.id}, wire.Edit{What: "answer", Now: status})
	n.tap.q.put(n.seen.responses(), n.tap.now(), raw)
	_, _ = n.client.Write(raw)
	CloseWrite(n.client)
}

// end has the end of the connection recorded.
func (n *relay) end(c wire.Close) {
	n.tap.q.do(n.tap.now(), func(t int64) { n.seen.end(t, c) }, n.seen.requests(), n.seen.responses())
}

// readRequest reads until one request is complete. False means that the client
// left before.
func (n *relay) readRequest(to stream) bool {
	framer := wire.NewRequestStream()
	buf := make([]byte, largeRead)
	for {
		k, err := n.client.Read(buf)
		if err != nil {
			return false
		}
		n.tap.q.put(to, n.tap.now(), buf[:k])
		for p := buf[:k]; len(p) > 0 || framer.Ended(); {
			tok, used := framer.Next(p)
			if tok == wire.TokenEnd || tok == wire.TokenRaw {
				return true
			}
			if tok == wire.TokenHead && wire.HeadValue(framer.Head(), "Expect") != "" {
				return true // it waits for our word before it sends the body
			}
			p = p[used:]
		}
	}
}

// linger lets the client read the answer before the connection goes: closing
// it with unread bytes would be a reset.
func (n *relay) linger() {
	_ = n.client.SetReadDeadline(time.Now().Add(time.Second))
	_, _ = io.Copy(io.Discard, n.client)
}
