package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"sync"
	"time"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

const maxResumes = 5

// httpTap is the tap in front of an HTTP target.
type httpTap struct {
	addr string
	end  context.CancelFunc
	over chan struct{}
}

// startTap puts a tap of our own in front of the target.
func (r *run) startTap() error {
	opt := r.opt.HTTP
	opt.Listen = "127.0.0.1:0"
	opt.Host = "keep" // what we send is what the target is called
	tap, err := opt.New(r.opt.URL)
	if err != nil {
		return err
	}
	tap.Started = time.Now()
	tap.Record = r.opt.Record(record.Header{
		Started: tap.Started, Tap: "http", Label: r.label(r.opt.URL.Host),
		Target: r.opt.URL.Redacted(), Listen: tap.Listen.Addr().String(),
	})
	if path := tap.Record.Path(); path != "" {
		r.Other = append(r.Other, path)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.ctx))
	r.tap = &httpTap{addr: tap.Listen.Addr().String(), end: cancel, over: make(chan struct{})}
	go func() {
		defer close(r.tap.over)
		_ = tap.Run(ctx) // it fails only when it cannot accept, which the exchanges tell
	}()
	return nil
}

// stop ends the tap; its recording is complete when it returns.
func (t *httpTap) stop() {
	t.end()
	<-t.over
}

// httpPeer is a session with an HTTP server, over connections of its own.
type httpPeer struct {
	run    *run
	lane   *lane
	client *http.Client
	ctx    context.Context
	cancel context.CancelFunc
	base   *url.URL // where to post, unless the recorded path is kept
	keep   bool     // keep recorded paths
	sse    bool     // HTTP+SSE

	leaves map[int32]context.CancelFunc // by step; the driver's
	wg     sync.WaitGroup
}

// connectHTTP makes the peer of a lane. HTTP+SSE begins with its stream.
func (r *run) connectHTTP(l *lane, s *Session) error {
	jar, _ := cookiejar.New(nil) // never fails
	p := &httpPeer{run: r, lane: l, leaves: map[int32]context.CancelFunc{}}
	p.ctx, p.cancel = context.WithCancel(r.ctx)
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", r.tap.addr)
	}
	p.client = &http.Client{
		Jar:           jar,
		Transport:     &http.Transport{DialContext: dial, DisableCompression: true, MaxIdleConnsPerHost: 64},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	p.base = &url.URL{Scheme: "http", Host: r.opt.URL.Host, Path: r.opt.URL.Path, RawPath: r.opt.URL.RawPath, RawQuery: r.opt.URL.RawQuery, ForceQuery: r.opt.URL.ForceQuery}
	if p.keep = r.Plan.keepsPaths(r.opt.URL); p.base.Path == "" || p.base.Path == "/" {
		p.base.Path = "/mcp"
	}
	p.sse = r.speaksSSE(s, p)
	l.peer = p
	if !p.sse {
		return nil
	}
	if p.keep {
		p.base.Path = s.Endpoint
	}
	p.exchange(p.request(outgoing{step: -1}, http.MethodGet), -1)
	if !r.await(r.opt.Timeout, func() bool { return l.endpoint != "" || l.gone != "" }) && l.gone == "" {
		l.gone = "the server announced no endpoint for HTTP+SSE"
	}
	return r.ctx.Err()
}

// speaksSSE decides between Streamable HTTP and HTTP+SSE.
func (r *run) speaksSSE(s *Session, p *httpPeer) bool {
	switch {
	case r.opt.Transport != "":
		return r.opt.Transport == "sse"
	case p.keep, r.Script.Header.Tap == "http":
		return s.Transport == session.TransportSSE
	}
	return len(p.base.Path) >= 4 && p.base.Path[len(p.base.Path)-4:] == "/sse"
}

// request makes an HTTP request of something to send.
func (p *httpPeer) request(o outgoing, method string) *http.Request {
	u := *p.base
	if !p.sse {
		aimAs(&u, p.keep, o.head.Target)
	}
	if p.sse && method == http.MethodPost {
		if at, err := p.base.Parse(p.lane.endpoint); err == nil {
			u.Path, u.RawPath, u.RawQuery = at.Path, at.RawPath, at.RawQuery
		}
	}
	u.RawQuery = p.run.exchangeValues(u.RawQuery, url.QueryEscape)
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(o.payload)
	}
	ctx, cancel := context.WithCancel(p.ctx)
	if o.step >= 0 {
		p.leaves[o.step] = cancel
	}
	ctx = context.WithValue(ctx, cancelKey{}, cancel)
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		req, _ = http.NewRequestWithContext(ctx, method, p.base.String(), body) // it was parsed before
	}
	req.Header = p.run.fields(p.lane, o, method)
	return req
}

// aimAs points a URL where the recorded request went: to its path when that is
// kept, and with its query where the user gave none. A "?" alone is an empty
// one. The host stays.
func aimAs(u *url.URL, keep bool, target string) {
	if target == "" {
		return
	}
	at, err := url.ParseRequestURI(target)
	if err != nil {
		at, err = url.ParseRequestURI("/" + target)
	}
	switch {
	case err != nil:
	case keep:
		u.Path, u.RawPath, u.RawQuery = at.Path, at.RawPath, at.RawQuery
	case u.RawQuery == "" && !u.ForceQuery:
		u.RawQuery = at.RawQuery
	}
}

// cancelKey is where a request has the function that gives it up.
type cancelKey struct{}

func (p *httpPeer) send(o outgoing) { p.exchange(p.request(o, http.MethodPost), o.step) }

func (p *httpPeer) stream(o outgoing) {
	p.unlessSSE(o, http.MethodGet)
}

func (p *httpPeer) remove(o outgoing) {
	p.unlessSSE(o, http.MethodDelete)
}

// unlessSSE makes a request that HTTP+SSE does not know: there the stream that
// a session has anyway is also its end.
func (p *httpPeer) unlessSSE(o outgoing, method string) {
	switch {
	case !p.sse:
		p.exchange(p.request(o, method), o.step)
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
func (p *httpPeer) close(r *run, _ *lane) {
	p.cancel()
	over := make(chan struct{})
	go func() { p.wg.Wait(); close(over) }()
	for done := false; !done; {
		select {
		case <-over:
			done = true
		case a := <-r.arrivals: // what comes now is not waited for
			r.intake.free(a.large)
		}
	}
	p.client.CloseIdleConnections()
}

// exchange carries out a request in a goroutine of its own.
func (p *httpPeer) exchange(req *http.Request, step int32) {
	var once sync.Once
	written := func() {
		once.Do(func() { p.run.tell(arrival{lane: p.lane, kind: arrivedWritten, step: -1}) })
	}
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written() }}
	req = req.WithContext(httptrace.WithClientTrace(req.Context(), trace))
	p.wg.Go(func() {
		defer req.Context().Value(cancelKey{}).(context.CancelFunc)()
		a := arrival{lane: p.lane, kind: arrivedEnd, step: step}
		a.status, a.err = p.do(req, step)
		written()
		if p.sse && req.Method == http.MethodGet && p.ctx.Err() == nil {
			err := errors.New("the server ended the stream of the session")
			if isLimit(a.err) {
				err = a.err
			}
			p.run.tell(arrival{lane: p.lane, kind: arrivedGone, step: -1, err: err})
			return
		}
		if p.sse && a.status < 300 && a.err == nil {
			return // its answer comes on the stream of the session
		}
		p.run.tell(a)
	})
}

// do carries out one request, and goes on with its stream when that breaks off
// (2025-11-25, basic/transports: Resumability).
func (p *httpPeer) do(req *http.Request, step int32) (status int, err error) {
	var s stream
	for try := 0; ; try++ {
		status, err = p.once(req, step, &s)
		if s.last == "" || s.complete || isLimit(err) || status >= 300 || try >= maxResumes || req.Context().Err() != nil || p.sse {
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

func (p *httpPeer) once(req *http.Request, step int32, s *stream) (int, error) {
	if place := maskIn(req); place != "" {
		return 0, fmt.Errorf("not sent: %s holds a credential that the recording masks", place)
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return 0, tidy(err)
	}
	defer resp.Body.Close()
	p.run.tell(arrival{lane: p.lane, kind: arrivedHead, step: step, status: resp.StatusCode, head: resp.Header})
	if wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode, p.exceeded(p.events(resp.Body, resp.StatusCode, step, s))
	}
	m := incoming{in: p.run.intake, quit: req.Context().Done()}
	defer m.drop()
	body, err := m.readBody(resp.Body)
	if len(bytes.TrimSpace(body)) > 0 {
		p.run.tell(arrival{lane: p.lane, kind: arrivedBody, step: step, status: resp.StatusCode, payload: body, large: m.next()})
	}
	if err != nil && !isLimit(err) {
		err = fmt.Errorf("the answer broke off: %w", err)
	}
	return resp.StatusCode, p.exceeded(err)
}

// exceeded leaves a server that sent more than is taken in all.
func (p *httpPeer) exceeded(err error) error {
	if errors.Is(err, errTooMuch) {
		p.run.tell(arrival{lane: p.lane, kind: arrivedGone, err: err, step: -1})
	}
	return err
}

// events takes an event stream to its end.
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
		p.run.tell(arrival{lane: p.lane, kind: arrivedGone, step: -1, err: errors.New("the endpoint that the server announced is too long")})
		return
	}
	data := bytes.Clone(e.Data)
	if p.sse && e.Name == "endpoint" {
		p.run.tell(arrival{lane: p.lane, kind: arrivedEndpoint, step: -1, payload: data})
		return
	}
	wire.ScanMessages(data, func(_ int, m wire.Message) bool {
		s.complete = s.complete || m.IsResponse()
		return true
	})
	if p.sse {
		status = 0 // that of the stream says nothing of an answer on it
	}
	p.run.tell(arrival{lane: p.lane, kind: arrivedMessage, step: step, status: status, payload: data, large: in.next()})
}

// tidy takes the URL, which is our own tap's, out of an error.
func tidy(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}
