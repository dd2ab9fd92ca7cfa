package forward

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"time"

	"midwire/intercept"
)

// inside is a connection inside another one.
type inside struct{ net.Conn }

// NetConn is the connection itself.
func (i inside) NetConn() net.Conn { return i.Conn }

// CloseWrite half-closes it.
func (i inside) CloseWrite() error {
	intercept.CloseWrite(i.Conn)
	return nil
}

// sniffed is a connection of which some bytes were read already. They are read
// again first.
type sniffed struct {
	inside
	head []byte
}

// Read implements net.Conn.
func (s *sniffed) Read(p []byte) (int, error) {
	if len(s.head) > 0 {
		n := copy(p, s.head)
		s.head = s.head[n:]
		return n, nil
	}
	return s.Conn.Read(p)
}

func (s *sniffed) first() (byte, error) {
	if len(s.head) == 0 {
		buf := make([]byte, 16<<10)
		n, err := s.Conn.Read(buf)
		if n == 0 {
			return 0, err
		}
		s.head = buf[:n]
	}
	return s.head[0], nil
}

// helloPatience is how long a client may take for its TLS hello.
const helloPatience = 30 * time.Second

var errHello = errors.New("the hello was read")

// hello reads the TLS hello of a client and puts it back. nil for what is none.
func (s *sniffed) hello() *tls.ClientHelloInfo {
	var read bytes.Buffer
	var info *tls.ClientHelloInfo
	_ = s.SetReadDeadline(time.Now().Add(helloPatience))
	_ = tls.Server(listening{s.Conn, io.TeeReader(s, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			info = h
			return nil, errHello
		},
	}).HandshakeContext(context.Background())
	_ = s.SetReadDeadline(time.Time{})
	s.head = slices.Concat(read.Bytes(), s.head)
	return info
}

// listening is a connection that is only read.
type listening struct {
	net.Conn
	r io.Reader
}

func (l listening) Read(p []byte) (int, error)  { return l.r.Read(p) }
func (l listening) Write(p []byte) (int, error) { return len(p), nil }
func (l listening) Close() error                { return nil }
