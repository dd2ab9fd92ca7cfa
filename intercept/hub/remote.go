package hub

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
	"midwire/session/words"
)

// handle is the session that a remote server has with the hub.
type handle struct {
	id        string
	temporary bool // the hub made it up
}

// maxHandle bounds the id of a session, which is kept and sent with every request.
const maxHandle = 1 << 10

// remote is an instance behind a URL, reached by Streamable HTTP through a tap.
type remote struct {
	b      *backend
	url    string // at the tap
	client *http.Client
	ctx    context.Context // ends what is under way
	cancel context.CancelFunc
	runs   sync.WaitGroup // exchanges and the stream
	stop   func()         // ends the tap, and waits for it

	mu        sync.Mutex // guards below
	version   string
	listening bool
}

// startRemote starts the tap in front of a URL. Nothing is sent yet.
func startRemote(b *backend, known handle, note string) (leg, error) {
	h := b.s.hub
	if b.part.SSE {
		return nil, errors.New("it speaks HTTP+SSE of 2024-11-05, which is passed on at its own path only")
	}
	target, err := intercept.ParseTarget(b.part.URL)
	if err != nil {
		return nil, err
	}
	if known.id != "" {
		note = strings.TrimPrefix(note+"; its session goes on", "; ")
	}
	origin, stop, err := h.tap(&b.part, target, b.label(), b.s.clients(), shown(&b.part, note))
	if err != nil {
		return nil, err
	}
	r := &remote{b: b, url: origin + target.RequestURI(), stop: stop}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.client = &http.Client{
		Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 16},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return r, nil
}

func (r *remote) setVersion(v string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = v
}

// send posts a message. What comes back is received in a goroutine of its own.
func (r *remote) send(m []byte, c *call) error {
	if c != nil {
		r.runs.Go(func() {
			if err := r.call(m, c); err != nil {
				r.b.settle(c.id, r.b.failed([]byte(c.id), err))
			}
		})
		return nil
	}
	resp, err := r.post(r.ctx, m, "", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return r.refused(resp)
	}
	if msg, ok := onlyMessage(m); ok && string(msg.Method) == mcp.NotifyInitialized {
		r.listen()
	}
	return nil
}

// call posts a request and receives its response. A server that wants a session
// before it has issued one gets a temporary id.
func (r *remote) call(m []byte, c *call) (err error) {
	defer defect.Fails("a call of a server", &err)
	ctx, cancel := context.WithCancel(r.ctx)
	defer cancel()
	if r.b.isModern() { // the end of the connection says that nobody waits any more
		go func() {
			select {
			case <-c.over:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	resp, err := r.post(ctx, m, "", c)
	if err != nil {
		return err
	}
	if c.method == mcp.Initialize {
		if resp, err = r.introduced(ctx, resp, m); err != nil {
			return err
		}
	}
	defer resp.Body.Close()
	switch media := resp.Header.Get("Content-Type"); {
	case resp.StatusCode/100 != 2:
		return r.rejected(resp, c)
	case wire.IsMediaType(media, "text/event-stream"):
		return r.follow(ctx, resp.Body, c)
	default:
		body, err := readAll(resp.Body, maxBody)
		if err != nil {
			return err
		}
		r.b.receive(body, c)
		return r.unanswered(c)
	}
}

// unanswered is an error when a call has still no response.
func (r *remote) unanswered(c *call) error {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	if r.b.calls[c.id] == c {
		return errors.New("its response has ended without a response to the request")
	}
	return nil
}

// introduced looks at the response to the handshake: it issues the session, or
// wants one to be there already. Then it is sent again with an id for the time
// being, which stays when the server issues none.
func (r *remote) introduced(ctx context.Context, resp *http.Response, m []byte) (*http.Response, error) {
	now := handle{id: resp.Header.Get(mcp.HeaderSessionID)}
	if now.id == "" && !wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
		body, err := readAll(resp.Body, maxBody)
		resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
		if err != nil {
			return resp, err
		}
		if !wantsSession(resp.StatusCode, body) {
			return r.knownBy(now, resp)
		}
		now = handle{id: "midwire-init-" + rand.Text()[:16], temporary: true}
		if resp, err = r.post(ctx, m, now.id, nil); err != nil {
			return nil, err
		}
		if issued := resp.Header.Get(mcp.HeaderSessionID); issued != "" {
			now = handle{id: issued}
		}
	}
	return r.knownBy(now, resp)
}

// wantsSession reports whether a response refuses the handshake for want of a session id:
// by its status, or by an error under 200.
func wantsSession(status int, body []byte) bool {
	if status/100 == 2 {
		m, _ := onlyMessage(body)
		body = m.Error
	}
	return (status/100 == 2 || status/100 == 4) && words.Contains(string(body), mcp.HeaderSessionID)
}

// knownBy keeps the session that the server has with the hub from now on.
func (r *remote) knownBy(now handle, resp *http.Response) (*http.Response, error) {
	if len(now.id) > maxHandle {
		resp.Body.Close()
		return nil, fmt.Errorf("it issues a session id of %d bytes, more than %d", len(now.id), maxHandle)
	}
	r.b.mu.Lock()
	r.b.handle = now
	r.b.mu.Unlock()
	return resp, nil
}

// rejected takes a response whose status is an error. From 2026-07-28 on that of a
// request comes so too.
func (r *remote) rejected(resp *http.Response, c *call) error {
	if r.b.isModern() {
		body, err := readAll(resp.Body, maxBody)
		if m, ok := onlyMessage(body); err == nil && ok && m.Error != nil && string(m.ID) == c.id {
			r.b.receive(body, c)
			return r.unanswered(c)
		}
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	return r.refused(resp)
}

// post sends a message, which is that of a call if it is one. ofContext is a session id
// that goes before the stored one.
func (r *remote) post(ctx context.Context, m []byte, ofContext string, c *call) (*http.Response, error) {
	req, err := r.request(ctx, http.MethodPost, bytes.NewReader(m), ofContext)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if msg, ok := onlyMessage(m); ok && wire.Get(msg.Params, "_meta", mcp.MetaProtocolVersion) != nil {
		req.Header.Set(mcp.HeaderVersion, wire.Text(wire.Get(msg.Params, "_meta", mcp.MetaProtocolVersion)))
		req.Header.Set(mcp.HeaderMethod, string(msg.Method))
		if p := mcp.NameParam(string(msg.Method)); p != "" {
			req.Header.Set(mcp.HeaderName, mcp.EncodeHeader(wire.Text(wire.Get(msg.Params, p))))
		}
		if c != nil && c.reply != nil {
			maps.Copy(req.Header, c.reply.params)
		}
	}
	return r.client.Do(req)
}

func (r *remote) request(ctx context.Context, method string, body io.Reader, ofContext string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.url, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "midwire-hub")
	for name, value := range r.b.part.Headers {
		req.Header.Set(name, value)
	}
	r.b.mu.Lock()
	stored := r.b.handle.id
	r.b.mu.Unlock()
	if id := cmp.Or(ofContext, stored); id != "" {
		req.Header.Set(mcp.HeaderSessionID, id)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version > string(mcp.V20250326) {
		req.Header.Set(mcp.HeaderVersion, r.version)
	}
	return req, nil
}

// refused is the error that a status means. 404 is that of a session which the
// server does not know any more.
func (r *remote) refused(resp *http.Response) error {
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	text := strings.TrimSpace(string(body))
	if m, ok := onlyMessage(body); ok && m.Error != nil {
		text = wire.Text(wire.Get(m.Error, "message"))
	}
	if resp.StatusCode == http.StatusNotFound && resp.Request.Header.Get(mcp.HeaderSessionID) != "" {
		r.b.forgotten()
		return fmt.Errorf("it answers 404 (%s): it has lost its session. The next call begins another one", text)
	}
	return fmt.Errorf("it answers %s: %s", resp.Status, text)
}

// listen opens the stream for what is part of no request, once, and again when it
// ends, until the server says that it has none.
func (r *remote) listen() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.listening {
		return
	}
	r.listening = true
	r.runs.Go(func() {
		var s stream
		for fails := 0; fails < 5 && r.ctx.Err() == nil; {
			resp, err := r.get(r.ctx, s.last)
			if err != nil {
				fails++
			} else if resp.StatusCode != http.StatusOK || !wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
				resp.Body.Close()
				return
			} else {
				fails = 0
				err := s.read(resp.Body, func(data []byte) { r.b.receive(data, nil) })
				resp.Body.Close()
				if err != nil {
					r.b.s.log().Warn("stream given up", "server", r.b.part.Name, "error", err.Error())
					return
				}
			}
			s.wait(r.ctx)
		}
	})
}

func (r *remote) get(ctx context.Context, last string) (*http.Response, error) {
	req, err := r.request(ctx, http.MethodGet, nil, "")
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set(mcp.HeaderLastEventID, last)
	}
	return r.client.Do(req)
}

// follow receives the stream of a call, and goes on with it where it breaks if the
// server has numbered its events.
func (r *remote) follow(ctx context.Context, body io.Reader, c *call) error {
	var s stream
	if err := s.read(body, func(data []byte) { r.b.receive(data, c) }); err != nil {
		return err
	}
	for tries := 0; r.unanswered(c) != nil && s.last != "" && tries < 5 && r.ctx.Err() == nil; tries++ {
		s.wait(r.ctx)
		resp, err := r.get(ctx, s.last)
		if err != nil {
			continue
		}
		if resp.StatusCode == http.StatusOK {
			err = s.read(resp.Body, func(data []byte) { r.b.receive(data, c) })
		}
		resp.Body.Close()
		if err != nil {
			return err
		}
	}
	return r.unanswered(c)
}

// end tells the server that its session is over, unless it is kept, and ends what
// is under way.
func (r *remote) end(keep bool) {
	r.b.mu.Lock()
	known := r.b.handle
	r.b.mu.Unlock()
	if !keep && known.id != "" {
		ctx, cancel := context.WithTimeout(r.ctx, 2*time.Second)
		if req, err := r.request(ctx, http.MethodDelete, nil, ""); err == nil {
			if resp, err := r.client.Do(req); err == nil {
				resp.Body.Close()
			}
		}
		cancel()
	}
	r.cancel()
	r.runs.Wait()
	r.client.CloseIdleConnections()
	r.stop()
}
