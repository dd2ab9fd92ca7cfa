package intercept

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"midwire/session/wire"
	"midwire/session/words"
)

// dialRaw connects to the server, by a tunnel through the user's proxy if there
// is one.
func (d *Dialer) dialRaw(ctx context.Context, u *url.URL) (net.Conn, error) {
	if file := words.SocketOf(u); file != "" {
		return new(net.Dialer).DialContext(ctx, "unix", file)
	}
	to := hostPort(u, portOf(u.Scheme))
	via, err := d.proxyFor(u)
	if err != nil {
		return nil, err
	}
	if via == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", to)
	}
	c, err := d.dialProxy(ctx, via)
	if err != nil {
		return nil, err
	}
	if err := connect(ctx, c, via, to); err != nil {
		c.Close()
		return nil, fmt.Errorf("proxy %s: %w", via.Host, err)
	}
	return c, nil
}

func portOf(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// proxyFor is the user's proxy for a URL, nil for none.
func (d *Dialer) proxyFor(u *url.URL) (*url.URL, error) {
	if d.Proxy == nil || u.Scheme == "http" && !d.Plain {
		return nil, nil
	}
	via, err := d.Proxy(u)
	switch {
	case err != nil:
		return nil, fmt.Errorf("proxy from the environment: %w", err)
	case via != nil && via.Scheme != "http" && via.Scheme != "https":
		return nil, fmt.Errorf("proxy %s: midwire knows proxies of http:// and https://, not of %s://", via.Host, via.Scheme)
	}
	return via, nil
}

func (d *Dialer) dialProxy(ctx context.Context, via *url.URL) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", hostPort(via, portOf(via.Scheme)))
	if err == nil && via.Scheme == "https" {
		secure := tls.Client(c, &tls.Config{ServerName: via.Hostname(), RootCAs: d.Roots})
		if err = secure.HandshakeContext(ctx); err != nil {
			c.Close()
		}
		c = secure
	}
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", via.Host, err)
	}
	return c, nil
}

// connect asks a proxy for a tunnel (RFC 9110, 9.3.6).
func connect(ctx context.Context, c net.Conn, via *url.URL, to string) error {
	if deadline, ok := ctx.Deadline(); ok {
		_ = c.SetDeadline(deadline)
		defer c.SetDeadline(time.Time{})
	}
	req := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n"
	if _, err := c.Write([]byte(req + credentials(via) + "\r\n")); err != nil {
		return err
	}
	// A server that waits for our TLS hello has sent nothing behind the head.
	resp, err := http.ReadResponse(bufio.NewReader(c), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %s", resp.Status)
	}
	return nil
}

// credentials are the field that identifies the client to a proxy.
func credentials(via *url.URL) string {
	if via.User == nil {
		return ""
	}
	pass, _ := via.User.Password()
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+pass)) + "\r\n"
}

// dialAbsolute connects to the origin of an http URL for a client that puts whole
// URLs into request lines (RFC 9112, 3.2.2). So the user's proxy gets them too.
func (d *Dialer) dialAbsolute(ctx context.Context, u *url.URL) (net.Conn, error) {
	via, err := d.proxyFor(u)
	if err != nil || via == nil {
		return d.dialRaw(ctx, u)
	}
	c, err := d.dialProxy(ctx, via)
	if err != nil {
		return nil, err
	}
	origin := "http://" + strings.TrimSuffix(u.Host, ":80")
	return &absolute{Conn: c, framer: wire.NewRequestStream(), origin: origin, fields: credentials(via)}, nil
}

// absolute is a connection to a proxy that stands for one to an origin: request
// lines get the whole URL on the way.
type absolute struct {
	net.Conn
	framer  *wire.HTTPStream
	origin  string
	fields  string // for the proxy
	upgrade bool   // the last head asked for another protocol
}

// Write implements net.Conn. A head waits until it is whole.
func (a *absolute) Write(p []byte) (int, error) {
	var out []byte
	for rest := p; len(rest) > 0 || a.framer.Ended(); {
		if a.upgrade && a.framer.InHead() && len(rest) > 0 {
			a.upgrade = false
			if rest[0] < 'A' || rest[0] > 'Z' {
				a.framer.MakeRaw("switched protocols")
			}
		}
		some, n := a.framer.Rewrite(rest, a.head)
		out, rest = append(out, some...), rest[n:]
	}
	if len(out) > 0 {
		if _, err := a.Conn.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// head is a head as the proxy gets it.
func (a *absolute) head(head []byte) []byte {
	a.upgrade = wire.HeadValue(head, "Upgrade") != ""
	method, rest, _ := bytes.Cut(head, []byte(" "))
	switch {
	case bytes.HasPrefix(rest, []byte("* ")): // of OPTIONS, whose whole URL has no path (RFC 9112, 3.2.4)
		rest = rest[1:]
	case !bytes.HasPrefix(rest, []byte("/")):
		return head
	}
	i := bytes.IndexByte(rest, '\n') + 1
	return slices.Concat(method, []byte(" "+a.origin), rest[:i], []byte(a.fields), rest[i:])
}

// CloseWrite half-closes it. What came of a head goes before.
func (a *absolute) CloseWrite() error {
	if rest := a.framer.Rest(); len(rest) > 0 {
		_, _ = a.Conn.Write(rest)
	}
	CloseWrite(a.Conn)
	return nil
}

// NetConn is the connection itself.
func (a *absolute) NetConn() net.Conn { return a.Conn }
