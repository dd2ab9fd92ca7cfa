package run

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"

	"midwire/replay"
	"midwire/session"
)

type httpPeer struct {
	run    *run
	conn   *connection
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	base   *url.URL // where to post, unless the recorded path is kept
	keep   bool     // keep recorded paths
	sse    bool     // HTTP+SSE

	leaves map[int32]context.CancelFunc // by step; the driver's
	wg     sync.WaitGroup
}

// connectHTTP makes the peer of a connection. HTTP+SSE starts with its stream.
func (r *run) connectHTTP(c *connection, s *replay.Session) error {
	jar, _ := cookiejar.New(nil) // never fails
	p := &httpPeer{run: r, conn: c, leaves: map[int32]context.CancelFunc{}}
	p.ctx, p.cancel = context.WithCancel(r.ctx)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", r.proxy)
	}
	p.client = &http.Client{
		Jar:           jar,
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	base := *r.opt.URL
	base.Scheme, base.User, base.Opaque, base.Fragment, base.RawFragment = "http", nil, "", "", ""
	p.base = &base
	if p.keep = r.KeepsPaths(r.opt.URL); p.base.Path == "" || p.base.Path == "/" {
		p.base.Path = "/mcp"
	}
	p.sse = r.speaksSSE(s, p)
	c.peer = p
	if !p.sse {
		return nil
	}
	if p.keep {
		p.base.Path = s.Endpoint
	}
	p.exchange(outgoing{step: -1}, http.MethodGet)
	if !r.await(r.opt.Timeout, func() bool { return c.endpoint != "" || c.lost != "" }) && c.lost == "" {
		c.lost = "the server announced no endpoint for HTTP+SSE"
	}
	return r.ctx.Err()
}

func (r *run) speaksSSE(s *replay.Session, p *httpPeer) bool {
	switch {
	case r.opt.Transport != "":
		return r.opt.Transport == "sse"
	case p.keep, r.Script.Header.Tap == "http":
		return s.Transport == session.TransportSSE
	}
	return strings.HasSuffix(p.base.Path, "/sse")
}

// request makes an HTTP request of something to send; leave gives it up.
func (p *httpPeer) request(o outgoing, method string) (req *http.Request, leave context.CancelFunc) {
	u := *p.base
	if !p.sse {
		replay.Aim(&u, p.keep, o.head.Target)
	}
	if p.sse && method == http.MethodPost {
		if at, err := p.base.Parse(p.conn.endpoint); err == nil {
			u.Path, u.RawPath, u.RawQuery = at.Path, at.RawPath, at.RawQuery
		}
	}
	u.RawQuery = p.run.Exchange(u.RawQuery, p.run.Handles, url.QueryEscape)
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(o.payload)
	}
	ctx, leave := context.WithCancel(p.ctx)
	if o.step >= 0 {
		p.leaves[o.step] = leave
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		req, _ = http.NewRequestWithContext(ctx, method, p.base.String(), body) // it was parsed before
	}
	req.Header = p.run.fields(p.conn, o, method)
	return req, leave
}

func (p *httpPeer) send(o outgoing) { p.exchange(o, http.MethodPost) }

func (p *httpPeer) stream(o outgoing) { p.unlessSSE(o, http.MethodGet) }

func (p *httpPeer) remove(o outgoing) { p.unlessSSE(o, http.MethodDelete) }

// unlessSSE makes a request that HTTP+SSE does not know: there the stream that
// a session has anyway is also its end.
func (p *httpPeer) unlessSSE(o outgoing, method string) {
	switch {
	case !p.sse:
		p.exchange(o, method)
	case o.step >= 0:
		p.run.taken[o.step] = true
	}
}

func (p *httpPeer) leave(step int32) {
	if cancel := p.leaves[step]; cancel != nil {
		cancel()
	}
}

// close gives up all exchanges, and waits for them.
func (p *httpPeer) close() {
	p.cancel()
	ended := make(chan struct{})
	go func() { p.wg.Wait(); close(ended) }()
	for done := false; !done; {
		select {
		case <-ended:
			done = true
		case a := <-p.run.arrivals: // what comes now is not waited for
			p.run.intake.free(a.large)
		}
	}
	p.client.CloseIdleConnections()
}
