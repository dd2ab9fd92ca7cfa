package peer

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"

	"midwire/intercept"
	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/record/redact"
)

// Server is a server that midwire uses as a client: Command or URL, and Record are needed.
type Server struct {
	Command []string // of one on stdio
	Dir     string   // where it runs; "" for here
	Env     []string // of it; nil for our own
	URL     *url.URL // of one over HTTP
	HTTP    intercept.HTTPOptions
	Header  http.Header // of each HTTP request besides; credentials are given here
	// Record creates the recording of a proxy, which closes it.
	Record func(record.Header) *record.Writer
}

// String names the server for people, without credentials.
func (s *Server) String() string {
	if s.URL != nil {
		return s.URL.Redacted()
	}
	return strings.Join(redact.Args(s.Command), " ")
}

// Start starts a server on stdio behind a proxy. What Record creates must have a file.
func (s *Server) Start(label string, asked Asked) (Peer, error) {
	return start(&intercept.Stdio{Command: s.Command, Dir: s.Dir, Env: s.Env, Own: true}, s.Record, label, asked)
}

// Proxy puts a proxy in front of a server over HTTP; what is sent is what the server is
// called, if HTTP does not say otherwise. g may be nil. stop ends the proxy: then the
// recording is complete.
func (s *Server) Proxy(ctx context.Context, g *gate.Gate, label string) (tap *intercept.HTTP, stop func(), err error) {
	o := s.HTTP
	o.Listen, o.Host = cmp.Or(o.Listen, "127.0.0.1:0"), cmp.Or(o.Host, "keep")
	tap, end, err := o.Start(context.WithoutCancel(ctx), s.URL, record.Header{Label: label}, s.Record, g)
	// It fails only when it cannot accept, which the exchanges say.
	return tap, func() { _ = end() }, err
}

// Secrets are the credentials in header fields that a user gave: they are neither recorded
// nor printed, also where a server repeats them. What is shorter than six bytes is none, as
// in a recording.
type Secrets []string

// SecretsIn are those of some header fields, without the scheme before a credential.
func SecretsIn(h http.Header) (s Secrets) {
	for _, values := range h {
		for _, v := range values {
			if v = v[strings.LastIndexByte(v, ' ')+1:]; len(v) >= 6 {
				s = append(s, v)
			}
		}
	}
	return s
}

// Record is open, of recordings that do not hold them, and that say that midwire asks.
func (s Secrets) Record(open func(record.Header) *record.Writer) func(record.Header) *record.Writer {
	return func(h record.Header) *record.Writer {
		h.Asks = true
		w := open(h)
		w.Hide(s)
		return w
	}
}

// Text is a text without them.
func (s Secrets) Text(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "redacted")
	}
	return text
}
