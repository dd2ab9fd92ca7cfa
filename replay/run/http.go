package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"midwire/replay"
	"midwire/session"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
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
	base.Host = words.HostOf(&base)
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

const maxResumes = 5

// exchange sends something in its own goroutine, which takes the outcome.
func (p *httpPeer) exchange(o outgoing, method string) {
	req, leave := p.request(o, method)
	var once sync.Once
	written := func() {
		once.Do(func() { p.run.written(p.conn) })
	}
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written() }}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	p.wg.Go(func() {
		defer leave()
		status, err := p.do(req, o.step)
		at := time.Now()
		written()
		if p.sse && method == http.MethodGet && p.ctx.Err() == nil {
			if !isLimit(err) {
				err = errors.New("the server ended the stream of the session")
			}
			p.run.lost(p.conn, err)
			return
		}
		if p.sse && status < 300 && err == nil {
			return // its response comes on the stream of the session
		}
		p.run.emit(func() { p.run.ended(p.conn, o.step, status, err, at) })
	})
}

// do carries out one request, and resumes its stream when that breaks off
// (2025-11-25, basic/transports: Resumability).
func (p *httpPeer) do(req *http.Request, step int32) (status int, err error) {
	defer defect.Fails("the reading of a response", &err)
	var s stream
	for try := 0; ; try++ {
		status, err = p.attempt(req, step, &s)
		if s.last == "" || s.complete || isLimit(err) || status >= 300 || try >= maxResumes || p.sse ||
			req.Context().Err() != nil {
			return status, err
		}
		select {
		case <-time.After(s.retry):
		case <-req.Context().Done():
			return status, err
		}
		again := req.Clone(req.Context())
		again.Method, again.Body, again.ContentLength, again.GetBody = http.MethodGet, nil, 0, nil
		again.Header.Del("Content-Type")
		again.Header.Set("Accept", "text/event-stream")
		again.Header.Set(mcp.HeaderLastEventID, s.last)
		req = again
	}
}

// stream is what is known of an event stream across its connections.
type stream struct {
	last     string // id of the latest event
	retry    time.Duration
	complete bool // the response came
}

func (p *httpPeer) attempt(req *http.Request, step int32, s *stream) (int, error) {
	if place := maskIn(req); place != "" {
		return 0, fmt.Errorf("not sent: %s holds a credential that the recording masks", place)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, withoutURL(err)
	}
	defer resp.Body.Close()
	p.run.emit(func() { p.run.receivedHead(p.conn, step, resp.StatusCode, resp.Header) })
	if wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, p.exceeded(p.events(resp.Body, resp.StatusCode, step, s))
	}
	m := incoming{in: p.run.intake, quit: req.Context().Done()}
	defer m.drop()
	body, err := m.readBody(resp.Body)
	if len(bytes.TrimSpace(body)) > 0 {
		p.run.take(p.conn, reply{step, body, resp.StatusCode, true, time.Now()}, &m)
	}
	if err != nil && !isLimit(err) {
		err = fmt.Errorf("the response broke off: %w", err)
	}
	return resp.StatusCode, p.exceeded(err)
}

// exceeded leaves a server that sent more than is taken in all.
func (p *httpPeer) exceeded(err error) error {
	if errors.Is(err, errTooMuch) {
		p.run.lost(p.conn, err)
	}
	return err
}

func (p *httpPeer) events(body io.Reader, status int, step int32, s *stream) error {
	var f wire.EventFramer
	m := incoming{in: p.run.intake, quit: p.ctx.Done()}
	defer m.drop()
	buf := make([]byte, 32<<10)
	for {
		n, err := body.Read(buf)
		if over := m.add(n); over != nil {
			return over
		}
		f.Feed(buf[:n], func(raw []byte) { p.event(raw, status, step, s, &m) })
		m.size = f.Pending()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the event stream broke off: %w", err)
		}
	}
}

func (p *httpPeer) event(raw []byte, status int, step int32, s *stream, in *incoming) {
	defer in.drop()
	e := wire.ParseEvent(raw)
	if e.HasID && e.ID != "" && len(e.ID) <= maxEndpoint {
		s.last = e.ID
	}
	if ms, err := strconv.Atoi(e.Retry); err == nil && ms >= 0 {
		s.retry = time.Duration(ms) * time.Millisecond
	}
	if len(e.Data) == 0 {
		return
	}
	if p.sse && e.Name == "endpoint" && len(e.Data) > maxEndpoint {
		p.run.lost(p.conn, errors.New("the endpoint that the server announced is too long"))
		return
	}
	data := bytes.Clone(e.Data)
	if p.sse && e.Name == "endpoint" {
		p.run.emit(func() { p.conn.endpoint = cmp.Or(p.conn.endpoint, string(data)) })
		return
	}
	wire.ScanMessages(data, func(_ int, m wire.Message) bool {
		s.complete = s.complete || m.IsResponse()
		return true
	})
	if p.sse {
		status = 0 // that of the stream says nothing of a response on it
	}
	p.run.take(p.conn, reply{step, data, status, false, time.Now()}, in)
}

// withoutURL takes the URL, which is our own proxy's, out of an error.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// maskIn says where in the head of a request a mask stands, "" for nowhere.
func maskIn(req *http.Request) string {
	if replay.HasMask(req.URL.RequestURI()) {
		return "its URL"
	}
	for name, values := range req.Header {
		if slices.ContainsFunc(values, replay.HasMask) {
			return "header " + name
		}
	}
	return ""
}
