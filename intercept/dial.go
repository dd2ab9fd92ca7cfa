package intercept

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"midwire/session/safefile"
	"midwire/session/words"
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
	Plain bool // Proxy gets http URLs too

	onlyH1, onlyH2 atomic.Bool // what was found out about the server
	asked          atomic.Bool // it wants to see a certificate of the client's
}

// CertPool reads a file of PEM certificates and adds them to the system's.
func CertPool(file string) (*x509.CertPool, error) {
	pem, err := safefile.ReadGiven(file, 16<<20)
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
// last the connection speaks HTTP/1.1 anyway and is translated.
func (d *Dialer) dial(ctx context.Context, u *url.URL) (c net.Conn, proto string, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if u.Scheme != "https" {
		c, err = d.dialRaw(ctx, u)
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

// refusedProtocol reports whether a handshake failed because the server speaks
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
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
			d.asked.Store(true)
			return new(tls.Certificate), nil
		},
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

func hostPort(u *url.URL, port string) string {
	if p := u.Port(); p != "" {
		port = p
	}
	return net.JoinHostPort(strings.Trim(u.Hostname(), "[]"), port)
}

// ShowTarget is the URL of a server as a user gives it, without a password.
func ShowTarget(u *url.URL) string {
	if words.SocketOf(u) == "" {
		return u.Redacted()
	}
	return words.ShowURL(u)
}

// parseSocket reads http://unix:/run/mcp.sock:/mcp, as nginx and clients of Node write it, and
// unix:///run/mcp.sock, as docker does. nil: it is neither.
func parseSocket(raw string) (*url.URL, error) {
	rest, is := strings.CutPrefix(raw, "http://unix:")
	if is && (rest == "" || rest[0] >= '0' && rest[0] <= '9') { // a host of that name
		return nil, nil
	}
	if !is {
		rest, is = strings.CutPrefix(raw, "unix:")
		rest = strings.TrimPrefix(rest, "//")
	}
	if !is {
		return nil, nil
	}
	file, path, _ := strings.Cut(rest, ":")
	u, err := url.Parse(path)
	switch {
	case file == "" || err != nil || path != "" && !strings.HasPrefix(path, "/"):
		return nil, errors.New("give the file and the path, like http://unix:/run/mcp.sock:/mcp")
	case path == "":
		u.Path = "/"
	}
	if file, err = filepath.Abs(file); err != nil {
		return nil, err
	}
	u.Scheme, u.Host = "http", "unix:"+file
	return u, nil
}
