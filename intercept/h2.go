package intercept

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
)

// translateH2 returns a connection that speaks HTTP/1.1 and stands for one
// that speaks HTTP/2. It exists only for servers that speak nothing else:
// names of headers become lower case on the way and reason phrases are lost,
// which HTTP/2 does to every client of such a server.
func translateH2(c net.Conn, u *url.URL) net.Conn {
	near, far := net.Pipe()
	once := onceListener{conns: make(chan net.Conn, 1)}
	once.conns <- far
	var protocols http.Protocols
	protocols.SetHTTP2(true)
	transport := &http.Transport{
		Protocols:          &protocols,
		DisableCompression: true,
		DialTLSContext: func(context.Context, string, string) (net.Conn, error) {
			if first := c; first != nil {
				c = nil
				return first, nil
			}
			return nil, errors.New("the server has closed the HTTP/2 connection")
		},
	}
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		ErrorLog:      nil,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = u.Scheme, u.Host
			r.Out.URL.RawQuery = r.In.URL.RawQuery
			r.Out.Host = r.In.Host
		},
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Otherwise the server closes the request's body when the answer
		// begins, and a fast answer is cut off.
		_ = http.NewResponseController(w).EnableFullDuplex()
		proxy.ServeHTTP(w, r)
	})}
	srv.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateClosed || s == http.StateHijacked {
			transport.CloseIdleConnections()
		}
	}
	go func() { _ = srv.Serve(&once) }()
	return &translated{Conn: near, srv: srv, remote: u.Host}
}

// translated is the near end of a translation. Closing it ends both.
type translated struct {
	net.Conn
	srv    *http.Server
	remote string
}

func (t *translated) Close() error {
	err := t.Conn.Close()
	_ = t.srv.Close()
	return err
}

// CloseWrite ends the translation: a half-closed HTTP/1.1 connection is one
// whose client has left.
func (t *translated) CloseWrite() error { return t.Close() }

func (t *translated) RemoteAddr() net.Addr { return named(t.remote) }

type named string

func (n named) Network() string { return "tcp" }
func (n named) String() string  { return string(n) }

// onceListener accepts the one connection it was given.
type onceListener struct {
	conns chan net.Conn
	once  sync.Once
}

func (l *onceListener) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, io.EOF
	}
	return c, nil
}

func (l *onceListener) Close() error {
	l.once.Do(func() { close(l.conns) })
	return nil
}

func (l *onceListener) Addr() net.Addr { return named("http/2") }
