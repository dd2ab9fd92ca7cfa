package intercept

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"
)

const dialTimeout = 10 * time.Second

// Ways of speaking to a server, as an open frame names them.
const (
	protoTLS = "tls"
	protoH2  = "h2"
)

// Dialer connects to servers. The zero value does so directly, with the
// system's certificates.
type Dialer struct {
	Roots    *x509.CertPool // nil for the system's
	Insecure bool           // accept any certificate
	// Proxy returns the proxy for an https URL, nil for none. A nil function
	// means no proxy.
	Proxy func(*url.URL) (*url.URL, error)

	onlyH1, onlyH2 atomic.Bool // what was found out about the server
}

// CertPool reads a file of PEM certificates and adds them to the system's.
func CertPool(file string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("certificates: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("certificates: no PEM certificate in %s", file)
	}
	return pool, nil
}

// dial connects to the origin of u. proto is "", protoTLS or protoH2; with the
// last the connection speaks HTTP/1.1 all the same and is translated.
func (d *Dialer) dial(ctx context.Context, u *url.URL) (c net.Conn, proto string, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if u.Scheme != "https" {
		c, err = new(net.Dialer).DialContext(ctx, "tcp", hostPort(u, "80"))
		return c, "", err
	}
	if !d.onlyH2.Load() {
		c, err = d.dialTLS(ctx, u, "http/1.1")
		if err == nil && c.(*tls.Conn).ConnectionState().NegotiatedProtocol != "" || err != nil && !refusedProtocol(err) {
			return c, protoTLS, err
		}
	}
	return d.dialEither(ctx, u, c)
}

// dialEither decides what a server speaks that did not agree to HTTP/1.1: one
// that knows nothing of the negotiation, which is spoken to by h1 then, or one
// that speaks HTTP/2 and nothing else.
func (d *Dialer) dialEither(ctx context.Context, u *url.URL, h1 net.Conn) (net.Conn, string, error) {
	if h1 != nil && d.onlyH1.Load() {
		return h1, protoTLS, nil
	}
	c, err := d.dialTLS(ctx, u, "h2")
	if err == nil && c.(*tls.Conn).ConnectionState().NegotiatedProtocol == "h2" {
		d.onlyH2.Store(true)
		if h1 != nil {
			h1.Close()
		}
		return translateH2(c, u), protoH2, nil
	}
	if c != nil {
		c.Close()
	}
	if h1 == nil {
		return nil, "", err
	}
	d.onlyH1.Store(true)
	return h1, protoTLS, nil
}

// refusedProtocol says whether a handshake failed because the server speaks
// none of the protocols we offered (RFC 7301, 3.2). The alert has no exported
// type.
func refusedProtocol(err error) bool {
	return strings.Contains(err.Error(), "no application protocol")
}

func (d *Dialer) dialTLS(ctx context.Context, u *url.URL, proto string) (net.Conn, error) {
	raw, err := d.dialRaw(ctx, u)
	if err != nil {
		return nil, err
	}
	c := tls.Client(raw, &tls.Config{
		ServerName:         u.Hostname(),
		RootCAs:            d.Roots,
		InsecureSkipVerify: d.Insecure,
		NextProtos:         []string{proto},
	})
	if err := c.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, handshakeError{explainTLS(err)}
	}
	return c, nil
}

// handshakeError says that a server was reached and TLS with it failed.
type handshakeError struct{ error }

func (e handshakeError) Error() string { return "TLS handshake: " + e.error.Error() }

func (e handshakeError) Unwrap() error { return e.error }

func explainTLS(err error) error {
	hint := ""
	switch {
	case errors.As(err, new(x509.UnknownAuthorityError)):
		hint = "--cacert FILE trusts another authority, --insecure trusts anybody"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		hint = "--insecure trusts anybody"
	case errors.As(err, new(tls.RecordHeaderError)):
		hint = "does the server speak http:// on this port?"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		hint = "the server closed the connection in the middle of it"
	default:
		return err
	}
	return fmt.Errorf("%w (%s)", err, hint)
}

// dialRaw connects to the server, through the user's proxy if there is one.
func (d *Dialer) dialRaw(ctx context.Context, u *url.URL) (net.Conn, error) {
	var via *url.URL
	if d.Proxy != nil {
		var err error
		if via, err = d.Proxy(u); err != nil {
			return nil, fmt.Errorf("proxy from the environment: %w", err)
		}
	}
	var nd net.Dialer
	if via == nil {
		return nd.DialContext(ctx, "tcp", hostPort(u, "443"))
	}
	c, err := nd.DialContext(ctx, "tcp", hostPort(via, "80"))
	if err != nil {
		return nil, fmt.Errorf("proxy %s: %w", via.Host, err)
	}
	if err := connect(ctx, c, via, hostPort(u, "443")); err != nil {
		c.Close()
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
	if pass, ok := via.User.Password(); ok || via.User != nil {
		req += "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(via.User.Username()+":"+pass)) + "\r\n"
	}
	if _, err := c.Write([]byte(req + "\r\n")); err != nil {
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

func hostPort(u *url.URL, port string) string {
	if p := u.Port(); p != "" {
		port = p
	}
	return net.JoinHostPort(strings.Trim(u.Hostname(), "[]"), port)
}
