package forward

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"

	"midwire/session/wire"
)

// onlyHello writes the first record of a client and keeps the others back.
type onlyHello struct {
	net.Conn
	wrote bool
}

func (o *onlyHello) Write(p []byte) (int, error) {
	if o.wrote {
		return len(p), nil
	}
	o.wrote = true
	return o.Conn.Write(p)
}

func (o *onlyHello) Close() error { return nil }

// OpenSSL refuses a certificate with an alert in plain text, where TLS 1.3 has
// ciphertext.
func TestPlainAlert(t *testing.T) {
	r := start(t, nil, "mcp.example.com")
	var wants []string
	for record, want := range map[string]string{
		"\x15\x03\x03\x00\x02\x02\x30": `"refused":"unknown_ca"`,
		"\x15\x03\x03\x00\x02\x02\x2a": `"refused":"bad_certificate"`,
		"\x15\x03\x03\x00\x02\x02\x50": `"error":"local error`, // internal_error is about something else
	} {
		c := r.tunnelTo(t, "mcp.example.com:443")
		client := tls.Client(&onlyHello{Conn: c}, &tls.Config{RootCAs: x509.NewCertPool(), ServerName: "mcp.example.com"})
		if client.Handshake() == nil {
			t.Fatal("it trusts")
		}
		if _, err := c.Write([]byte(record)); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Read(make([]byte, 1)) // until it is over
		c.Close()
		wants = append(wants, want)
	}
	all := r.frames(t)
	for _, want := range wants {
		if !has(all, wire.KindClose, want) {
			t.Errorf("no %s in %v", want, all)
		}
	}
}
