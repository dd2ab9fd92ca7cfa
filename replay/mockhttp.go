package replay

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"midwire/intercept"
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Serve serves clients over HTTP until ctx ends: Streamable HTTP on every path,
// and HTTP+SSE where that was recorded. It closes the listener.
func (m *Mock) Serve(ctx context.Context, ln net.Listener) error {
	defer ln.Close()
	if err := m.prepare(); err != nil {
		return err
	}
	h := &mockHTTP{mock: m, clients: map[string]*client{}}
	srv := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mock on %s: %w", ln.Addr(), err)
	}
	return nil
}

// mockHTTP is a Mock behind HTTP.
type mockHTTP struct {
	mock    *Mock
	mu      sync.Mutex         // guards clients
	clients map[string]*client // by session id, or by what a client without one is known by
}

func (h *mockHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// A page of the internet must not reach what was recorded, nor one that
	// hides where it is from: no server stands behind us that could refuse it.
	origin := r.Header.Get("Origin")
	if name := intercept.ForeignHost(r.Host, origin, h.mock.AllowHosts...); name != "" {
		http.Error(w, fmt.Sprintf("midwire mock: host or origin %q is not local. If it should be, start midwire mock with --allow-host %s", name, name), http.StatusForbidden)
		return
	}
	if origin == "null" {
		http.Error(w, "midwire mock: a page whose origin is null is not served. Serve the page from localhost", http.StatusForbidden)
		return
	}
	switch r.Method {
	case http.MethodPost:
		h.post(w, r)
	case http.MethodGet:
		h.get(w, r)
	case http.MethodDelete:
		h.remove(w, r)
	default:
		w.Header().Set("Allow", "POST, GET, DELETE")
		http.Error(w, "midwire mock: method not allowed", http.StatusMethodNotAllowed)
	}
}

// known finds a client by its session id.
func (h *mockHTTP) known(r *http.Request) *client {
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" {
		id = r.URL.Query().Get("sessionId")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if id == "" {
		return nil
	}
	return h.clients[id]
}

func (h *mockHTTP) add(key, id string) *client {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[key]
	if c == nil {
		c = h.mock.client(id)
		h.clients[key] = c
	}
	return c
}

// clientOf finds or makes the client of a posted message.
func (h *mockHTTP) clientOf(r *http.Request, first *wire.Message) *client {
	if c := h.known(r); c != nil {
		return c
	}
	given := r.Header.Get(mcp.HeaderSessionID)
	modern := wire.Text(wire.Get(first.Params, "_meta", mcp.MetaProtocolVersion)) != ""
	switch {
	case string(first.Method) == mcp.Initialize:
		id := rand.Text()
		c := h.add(id, id)
		if given != "" { // made up by the client, who may go on with it
			h.mu.Lock()
			h.clients[given] = c
			h.mu.Unlock()
		}
		return c
	case modern:
		return h.add("modern "+string(wire.Get(first.Params, "_meta", mcp.MetaClientInfo)), "")
	case given != "" && !h.mock.takesAny():
		return nil
	case given != "":
		return h.add(given, "")
	}
	return h.add("plain "+r.UserAgent(), "")
}

// takesAny says whether ids were recorded that the server did not issue: what
// it answered to them is in the recording.
func (m *Mock) takesAny() bool {
	return slices.ContainsFunc(m.Sessions, func(i int) bool {
		source := m.Script.Sessions[i].IDSource
		return source == session.IDForeign || source == session.IDClient
	})
}

func (h *mockHTTP) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	if err != nil {
		http.Error(w, "midwire mock: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var all []wire.Message
	wire.ScanMessages(body, func(_ int, m wire.Message) bool { all = append(all, m); return true })
	if len(all) == 0 {
		writeJSON(w, http.StatusBadRequest, refuse(nil, mcp.CodeParseError, "midwire mock: this is no JSON-RPC message"))
		return
	}
	c := h.clientOf(r, &all[0])
	if c == nil {
		writeJSON(w, http.StatusNotFound, refuse(nil, mcp.CodeSessionNotFound, "Session not found"))
		return
	}
	var asked []wire.Message
	for _, m := range all {
		if m.Kind == wire.MsgRequest {
			asked = append(asked, m)
		} else if m.Kind != wire.MsgInvalid {
			c.heard(&m)
		}
	}
	onStream := r.URL.Query().Get("sessionId") != ""
	switch {
	case onStream:
		// HTTP+SSE: the answers come on the stream of the session. They are
		// played while that is open.
		h.mock.line(c.streamCtx(), &sync.WaitGroup{}, c, body, c.aside)
		w.WriteHeader(http.StatusAccepted)
	case len(asked) == 0:
		w.WriteHeader(http.StatusAccepted)
	case len(all) > 1 || isBatch(body):
		h.batch(w, r, c, asked)
	default:
		h.one(w, r, c, asked[0])
	}
}

// batch answers the requests of a batch with one.
func (h *mockHTTP) batch(w http.ResponseWriter, r *http.Request, c *client, asked []wire.Message) {
	var answers [][]byte
	for i := range asked {
		if call, code, why := c.find(&asked[i]); call < 0 {
			answers = append(answers, refuse(asked[i].ID, code, why))
		} else if a := c.answer(r.Context(), call, &asked[i], c.aside); a != nil {
			answers = append(answers, a)
		}
	}
	writeJSON(w, http.StatusOK, append(append([]byte{'['}, bytes.Join(answers, []byte{','})...), ']'))
}

// one answers a request as it was answered: with JSON or an event stream, and
// with the recorded status.
func (h *mockHTTP) one(w http.ResponseWriter, r *http.Request, c *client, asked wire.Message) {
	if string(asked.Method) == mcp.Ping {
		writeJSON(w, http.StatusOK, reply(asked.ID, []byte(`"result":{}`)))
		return
	}
	call, code, why := c.find(&asked)
	if call < 0 {
		status := http.StatusOK
		if wire.Text(wire.Get(asked.Params, "_meta", mcp.MetaProtocolVersion)) != "" {
			status = http.StatusBadRequest // which a client of both eras takes for the word of the older one
		}
		writeJSON(w, status, refuse(asked.ID, code, why))
		return
	}
	s := h.mock.Script
	row := s.row(s.Calls[call].Row)
	recorded := &s.Sessions[h.mock.sessionOf(call)]
	if c.id != "" && string(asked.Method) == mcp.Initialize && recorded.issues() {
		w.Header().Set(mcp.HeaderSessionID, c.id)
	}
	ctx, done := c.run(r.Context(), asked.ID)
	defer done()
	streams := len(h.mock.parts[call]) > 0 || row.Conn != 0 && int(row.X) < len(s.exchanges) && s.exchanges[row.X].stream
	if !streams {
		a := c.answer(ctx, call, &asked, func([]byte) {})
		h.plain(w, call, a)
		c.afterwards(ctx, call, &asked)
		return
	}
	out := events(w)
	if a := c.answer(ctx, call, &asked, out); a != nil && ctx.Err() == nil {
		out(a)
	}
	c.afterwards(ctx, call, &asked)
}

// plain writes an answer that is no event stream.
func (h *mockHTTP) plain(w http.ResponseWriter, call int32, answer []byte) {
	s := h.mock.Script
	row := s.row(s.Calls[call].Row)
	status := http.StatusOK
	if row.Status != 0 && row.Status != http.StatusAccepted {
		status = int(row.Status)
	}
	if answer != nil {
		writeJSON(w, status, answer)
		return
	}
	if row.Response == 0 {
		panic(http.ErrAbortHandler) // the recorded server never answered
	}
	if head, ok := s.answerHead(row.X); ok {
		w.Header().Set("Content-Type", head.Get("Content-Type"))
	}
	body, _ := s.payload(row.Response) // what cannot be read is empty
	if findMask(body) != "" {
		h.mock.say(withheld(s.Label(call)))
		body = []byte("midwire mock: " + withheld(s.Method(call)) + "\n")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// events begins an event stream and returns what sends on it.
func events(w http.ResponseWriter) func(payload []byte) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	flush(w)
	return func(payload []byte) { writeEvent(w, "message", payload) }
}

func writeEvent(w http.ResponseWriter, name string, data []byte) {
	_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, bytes.ReplaceAll(data, []byte{'\n'}, nil))
	flush(w)
}

func flush(w http.ResponseWriter) { _ = http.NewResponseController(w).Flush() }

// get opens the stream for what the server says by itself, or an HTTP+SSE
// session.
func (h *mockHTTP) get(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Error(w, "midwire mock: the recording is no web page; POST to it as an MCP client does", http.StatusMethodNotAllowed)
		return
	}
	c := h.known(r)
	switch {
	case c != nil && r.Header.Get(mcp.HeaderSessionID) != "":
		if c.hasWay() {
			http.Error(w, "Conflict: Only one SSE stream is allowed per session", http.StatusConflict)
			return
		}
		h.hold(r.Context(), c, events(w))
	case h.announces(r):
		id := rand.Text()
		c := h.add(id, id)
		out := events(w)
		writeEvent(w, "endpoint", []byte(r.URL.Path+"?sessionId="+id))
		h.hold(r.Context(), c, out)
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "midwire mock: no stream was recorded here", http.StatusMethodNotAllowed)
	}
}

// announces says whether a GET begins an HTTP+SSE session.
func (h *mockHTTP) announces(r *http.Request) bool {
	all := true
	for _, i := range h.mock.Sessions {
		s := &h.mock.Script.Sessions[i]
		if s.Transport == session.TransportSSE && s.Endpoint == r.URL.Path {
			return true
		}
		all = all && s.Transport == session.TransportSSE
	}
	return all || strings.HasSuffix(r.URL.Path, "/sse")
}

// hold keeps a stream open until the client leaves.
func (h *mockHTTP) hold(ctx context.Context, c *client, out func([]byte)) {
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	c.open(out)
	<-ctx.Done()
	c.open(nil)
}

// remove ends a session as the recorded server did.
func (h *mockHTTP) remove(w http.ResponseWriter, r *http.Request) {
	c := h.known(r)
	if c == nil {
		writeJSON(w, http.StatusNotFound, refuse(nil, mcp.CodeSessionNotFound, "Session not found"))
		return
	}
	status := http.StatusNoContent
	for i := range h.mock.Script.Steps {
		s := &h.mock.Script.Steps[i]
		if row := h.mock.Script.row(s.Row); s.Kind == StepDelete && row.Status != 0 {
			status = int(row.Status)
		}
	}
	if status < 300 {
		h.mu.Lock()
		delete(h.clients, c.id)
		h.mu.Unlock()
	}
	w.WriteHeader(status)
}

func (c *client) hasWay() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out != nil
}

// streamCtx ends with the stream of an HTTP+SSE session.
func (c *client) streamCtx() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		return context.Background()
	}
	return c.ctx
}
