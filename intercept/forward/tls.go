package forward

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"

	"midwire/intercept"
	"midwire/session/wire"
)

// Protocols as clients offer them (RFC 7301).
const (
	h1 = "http/1.1"
	h2 = "h2"
)

// handshake stands in for the server of a TLS connection, if it can.
func (p *Proxy) handshake(ctx context.Context, l *link, c *sniffed) {
	name, _, _ := net.SplitHostPort(l.hostport)
	name = intercept.HostName(name)
	hello := c.hello()
	switch {
	case hello == nil:
		l.why = "no TLS hello that could be read"
	case len(hello.SupportedProtos) > 0 && !slices.Contains(hello.SupportedProtos, h1):
		l.why = "the client speaks only " + strings.Join(hello.SupportedProtos, ", ")
	case hello.ServerName != "" && intercept.HostName(hello.ServerName) != name:
		l.why = "inside, the client asks for " + hello.ServerName
	}
	leaf, err := p.Authority.Leaf(name)
	if err != nil && l.why == "" {
		l.why = err.Error()
	}
	if l.why != "" {
		p.tunnel(ctx, l, nil)
		return
	}
	up := p.Relays.Dial(ctx, l.target())
	if up == nil {
		l.why = "the server wants a certificate of the client's, and only the client has its key"
		p.tunnel(ctx, l, nil)
		return
	}
	last := &lastBytes{sniffed: c}
	conn, err := accepted(ctx, last, leaf, hello)
	if err == nil {
		// A client that looks at certificates behind the handshake sends nothing.
		in := &sniffed{inside: inside{conn}}
		if _, err = in.first(); err == nil {
			p.unleaked(l, in)
			if slices.Contains(hello.SupportedProtos, h2) {
				l.edits = append(l.edits, wire.Edit{What: "alpn", Was: strings.Join(hello.SupportedProtos, ", "), Now: h1})
			}
			p.relay(ctx, l, up)
			return
		}
	}
	up.Close()
	p.refused(l, last.alert(), err)
}

// accepted does the handshake with the client. HTTP/1.1 is all that is relayed.
func accepted(
	ctx context.Context, c net.Conn, leaf *tls.Certificate, hello *tls.ClientHelloInfo,
) (*tls.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, helloPatience)
	defer cancel()
	conf := &tls.Config{Certificates: []tls.Certificate{*leaf}, SessionTicketsDisabled: true}
	if len(hello.SupportedProtos) > 0 {
		conf.NextProtos = []string{h1}
	}
	conn := tls.Server(c, conf)
	return conn, conn.HandshakeContext(ctx)
}

// alerts are the ones with which a client refuses a certificate (RFC 8446, 6.2).
var alerts = map[byte]string{
	42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
	46: "certificate_unknown", 48: "unknown_ca",
}

// said are these alerts by the words that crypto/tls has for them: the type is not
// exported.
var said = map[string]byte{
	"tls: bad certificate": 42, "tls: unsupported certificate": 43, "tls: revoked certificate": 44,
	"tls: expired certificate": 45, "tls: unknown certificate": 46, "tls: unknown certificate authority": 48,
}

// lastBytes keeps the last bytes that were read: OpenSSL sends an alert as plain
// text where crypto/tls can read ciphertext only.
type lastBytes struct {
	*sniffed
	tail []byte
}

// Read implements net.Conn.
func (l *lastBytes) Read(p []byte) (int, error) {
	n, err := l.sniffed.Read(p)
	l.tail = append(l.tail, p[max(0, n-alertSize):n]...)
	l.tail = l.tail[max(0, len(l.tail)-alertSize):]
	return n, err
}

// alertSize is the length of a record with a plain alert.
const alertSize = 7

// alert is the plain alert that came last, 0 for none.
func (l *lastBytes) alert() byte {
	if t := l.tail; len(t) == alertSize && t[0] == 0x15 && t[1] == 3 && t[3] == 0 && t[4] == 2 && t[5] == 2 {
		return t[6]
	}
	return 0
}

// refused records a client that did not continue behind or in the handshake.
func (p *Proxy) refused(l *link, alert byte, err error) {
	end := wire.Close{By: wire.ByClient, Error: err.Error()}
	var remote *net.OpError
	if errors.As(err, &remote) && remote.Op == "remote error" {
		alert = said[remote.Err.Error()]
	}
	switch {
	case alerts[alert] != "":
		end.Refused = alerts[alert]
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		end.Refused = wire.RefusedSilently
	}
	if end.Refused != "" {
		p.count.add(refused, l.hostport)
	}
	p.Relays.Tell(wire.Frame{Kind: wire.KindOpen, Conn: l.id},
		wire.Open{Client: l.client.RemoteAddr().String(), Proto: "tls", Host: l.hostport, Agent: l.agent})
	p.Relays.Tell(wire.Frame{Kind: wire.KindClose, Conn: l.id}, end)
	intercept.CloseWrite(l.client)
}
