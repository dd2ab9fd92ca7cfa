package intercept

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync"

	"midwire/session/wire"
)

const (
	smallRead = 16 << 10 // most messages fit
	largeRead = 64 << 10 // what a pipe holds, for more than that
)

// source is where a pump gets its bytes from.
type source interface {
	// next waits for bytes and returns them; they are valid until the following
	// call. With an error there may be bytes too.
	next() ([]byte, error)
}

// reader is a source that keeps its own buffer.
type reader struct {
	r   io.Reader
	buf []byte
}

func newReader(r io.Reader, size int) *reader { return &reader{r, make([]byte, size)} }

func (s *reader) next() ([]byte, error) {
	n, err := s.r.Read(s.buf)
	if n == len(s.buf) && n < largeRead {
		full := s.buf
		s.buf = make([]byte, largeRead)
		return full, err
	}
	return s.buf[:n], err
}

// resumed is a source of which something was read before.
type resumed struct {
	source
	read []byte
	err  error
}

func (s *resumed) next() ([]byte, error) {
	if s.read == nil && s.err == nil {
		return s.source.next()
	}
	b, err := s.read, s.err
	s.read, s.err = nil, nil
	return b, err
}

// buffers lends buffers of two sizes to connections that have something to
// read: there may be thousands that have not. Any goroutine may use it.
type buffers struct{ small, large sync.Pool }

func (b *buffers) get(large bool) *[]byte {
	pool, size := &b.small, smallRead
	if large {
		pool, size = &b.large, largeRead
	}
	if kept, ok := pool.Get().(*[]byte); ok {
		return kept
	}
	fresh := make([]byte, size)
	return &fresh
}

func (b *buffers) put(buf *[]byte) {
	if len(*buf) == largeRead {
		b.large.Put(buf)
	} else {
		b.small.Put(buf)
	}
}

// renewed is the connection to the server of a relay with a gate. Servers close
// connections on which nothing happens for some seconds, and know nothing of what the
// gate holds there. So requests that the server has not got continue over a fresh
// connection, which is dialled when the first of them is released: servers also close
// those that stay without a request.
type renewed struct {
	net.Conn // of mu; the one that is, or was
	relay    *relay
	src      source // of the reading goroutine

	mu    sync.Mutex
	lost  bool // the server has closed it, and there is no other yet
	ended bool // no other follows
	fresh chan source
	over  chan struct{} // closed with ended
}

func newRenewed(n *relay, c net.Conn) *renewed {
	return &renewed{
		Conn: c, relay: n, src: newSource(c, &n.http.lend),
		fresh: make(chan source, 1), over: make(chan struct{}),
	}
}

// next implements source. What a server says of its own accord to a client that waits,
// like 408, answers nothing: it announces the end.
func (r *renewed) next() ([]byte, error) {
	for {
		b, err := r.src.next()
		if len(b) == 0 && err == nil || !r.relay.tap.q.gateOf(r.relay.down).Unsent() || !r.lose(b, err) {
			return b, err
		}
		select {
		case r.src = <-r.fresh:
			continue
		case <-r.over:
		}
		select { // what was written last
		case r.src = <-r.fresh:
		default:
			return nil, io.EOF
		}
	}
}

// lose notes that the server has closed the connection. False: it is over anyway.
func (r *renewed) lose(said []byte, err error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.lost = true
	r.Conn.Close()
	how := "closed"
	if line, _, ok := bytes.Cut(said, []byte("\r\n")); ok && bytes.HasPrefix(line, []byte("HTTP/")) {
		how = "said " + string(line) + " and closed"
	} else if err != nil && !errors.Is(err, io.EOF) {
		how = "broke"
	}
	r.relay.tap.tell(wire.Frame{Kind: wire.KindNote, Dir: wire.ToClient, Conn: r.relay.id}, wire.Note{
		Text: "the server " + how + " the connection while midwire held a request on it; the request continues on a new connection",
	})
	return true
}

// Write writes to the server, over a fresh connection if it has closed the other.
func (r *renewed) Write(b []byte) (int, error) {
	r.mu.Lock()
	err := r.renew()
	c := r.Conn
	r.mu.Unlock()
	if err != nil {
		return 0, err
	}
	return c.Write(b)
}

func (r *renewed) renew() error {
	if !r.lost || r.ended {
		return nil
	}
	n := r.relay
	n.upstream = nil
	c, _, err := n.dial()
	if err != nil {
		r.end()
		n.http.unreachable(err)
		n.answerNow(GatewayStatus(err), n.cannotReach(err)+"\n")
		return err
	}
	r.Conn, r.lost = c, false
	n.tap.tell(wire.Frame{Kind: wire.KindEdit, Dir: wire.ToServer, Conn: n.id},
		wire.Edit{What: "connection", Was: "closed by the server", Now: "a new one to " + c.RemoteAddr().String()})
	r.fresh <- newSource(c, &n.http.lend)
	return nil
}

// end says that no other connection follows. r.mu is held.
func (r *renewed) end() {
	if !r.ended {
		r.ended = true
		close(r.over)
	}
}

// CloseWrite says that the client has said all.
func (r *renewed) CloseWrite() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
	CloseWrite(r.Conn)
	return nil
}

// Close ends it.
func (r *renewed) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
	return r.Conn.Close()
}

// NetConn ends it, too: who asks for the connection itself resets that.
func (r *renewed) NetConn() net.Conn {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end()
	return r.Conn
}
