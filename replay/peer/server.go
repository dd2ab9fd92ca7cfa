package peer

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
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

	intake *intake
}

// Ask makes ready to ask the server: what is given as a secret is neither recorded nor
// printed, recordings say that midwire asks, and what the server sends has a bound.
func (s *Server) Ask(more ...string) Secrets {
	given := append(s.Given(), more...)
	open := s.Record
	s.Record = given.Record(func(h record.Header) *record.Writer {
		h.Asks = true
		return open(h)
	})
	s.intake = &intake{}
	s.intake.left.Store(mostOutput)
	return given
}

// Given are the credentials in the URL and the fields.
func (s *Server) Given() Secrets {
	return slices.Concat(redact.InHeader(s.Header), redact.InURL(s.URL))
}

// String names the server for people, without credentials.
func (s *Server) String() string {
	if s.URL != nil {
		return redact.ShowURL(s.URL)
	}
	return strings.Join(redact.Args(s.Command), " ")
}

// Start starts a server on stdio behind a proxy. What Record creates must have a file.
// It is ended when ctx is.
func (s *Server) Start(ctx context.Context, label string, asked Asked) (Peer, error) {
	if s.intake.exceeded() {
		return nil, ErrFlood
	}
	tap := &intercept.Stdio{Command: s.Command, Dir: s.Dir, Env: s.Env, Own: true}
	return s.start(ctx, tap, label, asked)
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

// Secrets are the credentials that a user gave, in header fields, a URL or variables: they are
// neither recorded nor printed, also where a server repeats them in another spelling.
type Secrets []string

// Record is open, of recordings that do not hold them.
func (s Secrets) Record(open func(record.Header) *record.Writer) func(record.Header) *record.Writer {
	return func(h record.Header) *record.Writer {
		w := open(h)
		w.Hide(s)
		return w
	}
}

// Text is a text without them.
func (s Secrets) Text(text string) string { return redact.Hide(s).Text(text) }
