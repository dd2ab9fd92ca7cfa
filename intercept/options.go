package intercept

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http/httpproxy"

	"midwire/intercept/gate"
	"midwire/session/record"
	"midwire/session/words"
)

// HTTPOptions are what a user can say about an HTTP tap.
type HTTPOptions struct {
	Listen     string      // HOST:PORT for clients; port 0 for a free one
	Host       string      // "keep" or "rewrite" the Host header; "" decides by the target
	AllowHosts []string    // with a rewritten Host: names by which clients may call us
	CACert     string      // file of certificates to trust as well; "" for none
	Insecure   bool        // accept any certificate of the server
	OnTrouble  func(error) // as in HTTP; nil for no one
}

// Check says what is wrong with the options before anything is opened.
func (o *HTTPOptions) Check() error {
	if o.Host != "" && o.Host != "keep" && o.Host != "rewrite" {
		return fmt.Errorf("--host is keep or rewrite, not %q", o.Host)
	}
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("--listen takes HOST:PORT like 127.0.0.1:7000, not %q", o.Listen)
	}
	return nil
}

// New listens for clients and returns a tap that does not run yet. Record and
// Started are for the caller to set.
func (o *HTTPOptions) New(target *url.URL) (*HTTP, error) {
	dial := &Dialer{Insecure: o.Insecure, Proxy: httpproxy.FromEnvironment().ProxyFunc()}
	if o.CACert != "" {
		var err error
		if dial.Roots, err = CertPool(o.CACert); err != nil {
			return nil, err
		}
	}
	ln, err := Listen(o.Listen)
	if err != nil {
		return nil, err
	}
	isLocal := IsLocal(target.Hostname()) || words.SocketOf(target) != ""
	return &HTTP{
		Target: target, Listen: ln, Dial: dial, AllowHosts: o.AllowHosts,
		KeepHost: o.Host == "keep" || o.Host == "" && isLocal, OnTrouble: o.OnTrouble,
	}, nil
}

// Start runs a tap in front of target, which records to what open creates; h is what the
// recording says besides. g may be nil. stop ends the tap, also before ctx does: then the
// recording is complete.
func (o *HTTPOptions) Start(
	ctx context.Context, target *url.URL, h record.Header, open func(record.Header) *record.Writer, g *gate.Gate,
) (tap *HTTP, stop func() error, err error) {
	if tap, err = o.New(target); err != nil {
		return nil, nil, err
	}
	tap.Started, tap.Gate = time.Now(), g
	h.Started, h.Tap, h.Target = tap.Started, "http", cmp.Or(h.Target, ShowTarget(target))
	h.Listen = tap.Listen.Addr().String()
	tap.Record = open(h)
	ctx, cancel := context.WithCancel(ctx)
	ran := make(chan error, 1)
	go func() { ran <- tap.Run(ctx) }()
	return tap, sync.OnceValue(func() error { cancel(); return <-ran }), nil
}

// Listen listens where --listen says.
func Listen(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	switch {
	case err == nil:
		return ln, nil
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("address %s is taken. Choose another with --listen, or leave it out for a free port", address)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("cannot listen on %s: %w. Ports below 1024 are for administrators: choose another with --listen", address, err)
	case errors.As(err, new(*net.AddrError)):
		return nil, fmt.Errorf("--listen %s: %w", address, err)
	}
	return nil, fmt.Errorf("cannot listen on %s: %w. --listen takes an address of this machine", address, err)
}

// Origin is what clients use in place of the server's origin.
func (h *HTTP) Origin() string { return "http://" + h.Listen.Addr().String() }

// Warnings tells what a user should know before the first client connects.
// Nothing is said about the server: only a connection could tell, and there are
// servers that take just one.
func (h *HTTP) Warnings() []string {
	var all []string
	if a, ok := h.Listen.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		all = append(all, fmt.Sprintf("%s can be reached by other machines: anyone who reaches it can use the server, and is recorded", a))
	}
	if h.Dial.Insecure {
		all = append(all, "--insecure: the server's certificate is not checked")
	}
	return all
}
