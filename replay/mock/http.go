package mock

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"

	"midwire/intercept"
	"midwire/replay"
	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Serve serves clients over HTTP until ctx ends: Streamable HTTP on every path,
// and HTTP+SSE where that was recorded. It closes the listener.
func (m *Server) Serve(ctx context.Context, ln net.Listener) error {
	defer ln.Close()
	if err := m.prepare(); err != nil {
		return err
	}
	// A page of the internet must not reach what was recorded, nor one that hides where
	// it is from: no server stands behind us that could refuse it.
	h := intercept.Guard(newHandler(m), "midwire mock", m.AllowHosts...)
	srv := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return ctx }}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("mock on %s: %w", ln.Addr(), err)
	}
	return nil
}

func newHandler(m *Server) *handler {
	return &handler{mock: m, clients: map[string]*client{}, long: make(chan struct{}, 1)}
}

type handler struct {
	mock    *Server
	long    chan struct{}      // holds what a long request takes
	mu      sync.Mutex         // guards clients
	clients map[string]*client // by session id, or by what a client without one is known by
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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

func (h *handler) known(r *http.Request) *client {
	id := cmp.Or(r.Header.Get(mcp.HeaderSessionID), r.URL.Query().Get("sessionId"))
	h.mu.Lock()
	defer h.mu.Unlock()
	if id == "" {
		return nil
	}
	return h.clients[id]
}

func (h *handler) add(key, id string) *client {
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
func (h *handler) clientOf(r *http.Request, first *wire.Message) *client {
	if c := h.known(r); c != nil {
		return c
	}
	given := r.Header.Get(mcp.HeaderSessionID)
	modern := wire.Text(wire.Get(first.Params, "_meta", mcp.MetaProtocolVersion)) != ""
	switch {
	case string(first.Method) == mcp.Initialize:
		id := rand.Text()
		c := h.add(id, id)
		if given != "" { // invented by the client, which may keep using it
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

// takesAny reports whether ids were recorded that the server did not issue: what
// it responded to them is in the recording.
func (m *Server) takesAny() bool {
	return slices.ContainsFunc(m.Sessions, func(i int) bool {
		source := m.Script.Sessions[i].IDSource
		return source == session.IDForeign || source == session.IDClient
	})
}

// maxShort is from how many bytes on a request is a long one.
const maxShort = 1 << 20

// body reads a request. Of long ones one is in memory at a time, until done is called.
func (h *handler) body(w http.ResponseWriter, r *http.Request) (body []byte, done func(), err error) {
	in := http.MaxBytesReader(w, r.Body, replay.MaxMessage)
	body, err = io.ReadAll(io.LimitReader(in, maxShort))
	if err != nil || len(body) < maxShort {
		return body, func() {}, err
	}
	select {
	case h.long <- struct{}{}:
	case <-r.Context().Done():
		return nil, func() {}, r.Context().Err()
	}
	b := bytes.NewBuffer(body)
	_, err = b.ReadFrom(in)
	return b.Bytes(), func() { <-h.long }, err
}

func (h *handler) post(w http.ResponseWriter, r *http.Request) {
	body, done, err := h.body(w, r)
	defer done()
	if err != nil {
		http.Error(w, "midwire mock: "+err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	var all []wire.Message
	wire.ScanMessages(body, func(_ int, m wire.Message) bool { all = append(all, m); return true })
	if len(all) == 0 {
		writeJSON(w, http.StatusBadRequest, replay.Refusal(nil, mcp.CodeParseError, "midwire mock: this is no JSON-RPC message"))
		return
	}
	c := h.clientOf(r, &all[0])
	if c == nil {
		writeJSON(w, http.StatusNotFound, replay.Refusal(nil, mcp.CodeSessionNotFound, "Session not found"))
		return
	}
	var requests []wire.Message
	for _, m := range all {
		if m.Kind == wire.MsgRequest {
			requests = append(requests, m)
		} else if m.Kind != wire.MsgInvalid {
			c.received(&m)
		}
	}
	onStream := r.URL.Query().Get("sessionId") != ""
	switch {
	case onStream:
		// HTTP+SSE: the responses come on the stream of the session. They are
		// played while that is open.
		h.mock.line(c.streamCtx(), &sync.WaitGroup{}, c, body, c.sendUnrelated)
		w.WriteHeader(http.StatusAccepted)
	case len(requests) == 0:
		w.WriteHeader(http.StatusAccepted)
	case len(all) > 1 || wire.IsArray(body):
		h.batch(w, r, c, requests)
	default:
		h.respond(w, r, c, requests[0])
	}
}

func (h *handler) batch(w http.ResponseWriter, r *http.Request, c *client, requests []wire.Message) {
	var responses [][]byte
	for _, one := range requests {
		take := func(response []byte) { responses = append(responses, response) }
		h.mock.job(r.Context(), c, one, c.sendUnrelated)(take)
	}
	writeJSON(w, http.StatusOK, batchOf(responses))
}

// respond responds to a request as the recorded server did: with JSON or an event
// stream, and with the recorded status.
func (h *handler) respond(w http.ResponseWriter, r *http.Request, c *client, request wire.Message) {
	if string(request.Method) == mcp.Ping {
		writeJSON(w, http.StatusOK, replay.Reply(request.ID, `"result":{}`))
		return
	}
	call, code, why := c.find(&request)
	if call < 0 {
		status := http.StatusOK
		if wire.Text(wire.Get(request.Params, "_meta", mcp.MetaProtocolVersion)) != "" {
			status = http.StatusBadRequest // which a client of both eras takes for the word of the older one
		}
		writeJSON(w, status, replay.Refusal(request.ID, code, why))
		return
	}
	s := h.mock.Script
	if c.id != "" && string(request.Method) == mcp.Initialize && issuesID(&s.Sessions[h.mock.sessionOf(call)]) {
		w.Header().Set(mcp.HeaderSessionID, c.id)
	}
	ctx, done := c.run(r.Context(), request.ID)
	defer done()
	if !slices.ContainsFunc(h.mock.parts.during[call], func(p replay.Sent) bool { return !h.mock.apartFrom(p) }) &&
		!s.Streams(s.CallRow(call)) {
		response := c.respond(ctx, call, &request, func([]byte) {})
		h.plain(w, call, response)
		c.sendUnprompted(ctx, call, &request)
		return
	}
	out := events(w)
	if response := c.respond(ctx, call, &request, out); response != nil && ctx.Err() == nil {
		out(response)
	}
	c.sendUnprompted(ctx, call, &request)
}

// issuesID reports whether the server of a recorded session issued an id for it,
// or would have over HTTP.
func issuesID(s *replay.Session) bool {
	return !s.Modern &&
		(s.Transport != session.TransportHTTP || s.IDSource == session.IDServer || s.IDSource == session.IDReplaced)
}

func (h *handler) plain(w http.ResponseWriter, call int32, response []byte) {
	s := h.mock.Script
	row := s.CallRow(call)
	status := http.StatusOK
	if row.Status != 0 && row.Status != http.StatusAccepted {
		status = int(row.Status)
	}
	if response != nil {
		writeJSON(w, status, response)
		return
	}
	if row.Response == 0 {
		panic(http.ErrAbortHandler) // the recorded server sent no response
	}
	if head, ok := s.ResponseHead(row); ok {
		w.Header().Set("Content-Type", head.Get("Content-Type"))
	}
	body, _ := s.Payload(row.Response) // what cannot be read is empty
	if replay.FindMask(body) != "" {
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

// remove ends a session as the recorded server did.
func (h *handler) remove(w http.ResponseWriter, r *http.Request) {
	c := h.known(r)
	if c == nil {
		writeJSON(w, http.StatusNotFound, replay.Refusal(nil, mcp.CodeSessionNotFound, "Session not found"))
		return
	}
	status := http.StatusNoContent
	for i := range h.mock.Script.Steps {
		s := &h.mock.Script.Steps[i]
		if row := h.mock.Script.Row(s.Row); s.Kind == replay.StepDelete && row.Status != 0 {
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
