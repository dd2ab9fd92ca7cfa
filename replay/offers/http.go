package offers

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"midwire/intercept"
	"midwire/replay"
	"midwire/replay/resilience"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Serve serves clients over HTTP until ctx ends. It closes the listener.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	h := &handler{Server: s, sessions: map[string]*session{}}
	srv := &http.Server{
		Handler: intercept.Guard(h, "midwire test"), BaseContext: func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: time.Minute,
	}
	defer context.AfterFunc(ctx, func() { srv.Close() })()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

type handler struct {
	*Server
	mu       sync.Mutex
	sessions map[string]*session // by id; guarded by mu
}

// allVisible has each character that a session id may have.
func allVisible() string {
	var b strings.Builder
	for r := '!'; r <= '~'; r++ {
		b.WriteRune(r)
	}
	return b.String() + rand.Text()
}

func (h *handler) begin(w http.ResponseWriter) *session {
	id := rand.Text()
	switch h.Offer {
	case "session-id":
		id = allVisible()
		w.Header().Set(resilience.OfferField, h.Offer)
	case "no-session-id":
		id = ""
		w.Header().Set(resilience.OfferField, h.Offer)
	}
	c := h.session()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[id] = c
	if id != "" {
		w.Header().Set(mcp.HeaderSessionID, id)
	}
	return c
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(mcp.HeaderSessionID)
	h.mu.Lock()
	c := h.sessions[id]
	h.mu.Unlock()
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r, c)
	case c == nil:
		http.Error(w, "no such session", http.StatusNotFound)
	case r.Method == http.MethodGet:
		h.get(w, r, c)
	case r.Method == http.MethodDelete && id != "":
		h.mu.Lock()
		delete(h.sessions, id)
		h.mu.Unlock()
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "POST")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (h *handler) post(w http.ResponseWriter, r *http.Request, c *session) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, replay.MaxMessage))
	m, ok := wire.ScanMessage(body)
	if err != nil || !ok || m.Kind == wire.MsgInvalid {
		writeJSON(w, http.StatusBadRequest, replay.Refusal(nil, mcp.CodeParseError, "no message"))
		return
	}
	first := string(m.Method) == mcp.Initialize
	switch {
	case first:
		c = h.begin(w)
	case wire.Text(wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion)) != "":
		// To a client of both eras this is the word of the older one.
		writeJSON(w, http.StatusBadRequest, replay.Refusal(m.ID, mcp.CodeMethodNotFound, "Method not found"))
		return
	case c == nil && r.Header.Get(mcp.HeaderSessionID) == "":
		writeJSON(w, http.StatusBadRequest, replay.Refusal(nil, mcp.CodeInvalidRequest, "no session id"))
		return
	case c == nil:
		writeJSON(w, http.StatusNotFound, replay.Refusal(nil, mcp.CodeSessionNotFound, "no such session"))
		return
	}
	if m.Kind != wire.MsgRequest {
		c.received(&m)
		if h.Offer == "bare-202" {
			w.Header().Set(resilience.OfferField, h.Offer)
		} else {
			w.Header().Set("Content-Length", "0")
		}
		w.WriteHeader(http.StatusAccepted)
		if f, ok := w.(http.Flusher); ok && h.Offer == "bare-202" {
			f.Flush() // then the length is not known
		}
		return
	}
	h.request(w, c, &m)
}

// request responds with JSON, or where something comes before or the offer is one of event
// streams with such a one.
func (h *handler) request(w http.ResponseWriter, c *session, m *wire.Message) {
	e := &events{w: w, offer: h.Offer}
	call := string(m.Method) == mcp.ToolsCall
	if h.Offer == "resumed-stream" && call && c.atLeast(mcp.LastHandshake) {
		c.mu.Lock()
		c.held, c.delivery = c.plain(m), rand.Text()
		id := c.delivery
		c.mu.Unlock()
		e.start()
		e.write("id: " + id + "\nretry: 200\ndata:\n\n")
		return
	}
	response := c.respond(m, e.message)
	switch {
	case e.started, h.Offer == "event-stream", strings.HasSuffix(h.Offer, "-events"):
		e.message(response)
	default:
		writeJSON(w, http.StatusOK, response)
	}
}

// plain is a response with nothing before it. The caller holds the lock.
func (c *session) plain(m *wire.Message) []byte {
	return replay.Reply(m.ID, `"result":{"content":[`+text+`]}`)
}

// get is a stream for what belongs to no request, or the rest of one that was cut.
func (h *handler) get(w http.ResponseWriter, r *http.Request, c *session) {
	e := &events{w: w, offer: h.Offer}
	last := r.Header.Get(mcp.HeaderLastEventID)
	c.mu.Lock()
	held := c.held
	if last == "" || last != c.delivery {
		held = nil
	}
	c.mu.Unlock()
	switch {
	case held != nil:
		e.message(held)
	case h.Offer == "list-changed":
		e.start()
		c.mu.Lock()
		c.aside = e.message
		c.mu.Unlock()
		<-r.Context().Done()
		c.mu.Lock()
		c.aside = nil
		c.mu.Unlock()
	default:
		w.Header().Set("Allow", "POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// events is an event stream, in the spelling of an offer.
type events struct {
	w       http.ResponseWriter
	offer   string
	mu      sync.Mutex // guards all below
	started bool
}

func (e *events) start() {
	if e.started {
		return
	}
	e.started = true
	if e.offer == "event-stream" || e.offer == "resumed-stream" || strings.HasSuffix(e.offer, "-events") {
		e.w.Header().Set(resilience.OfferField, e.offer)
	}
	e.w.Header().Set("Content-Type", "text/event-stream")
	e.w.Header().Set("Cache-Control", "no-cache, no-transform")
	e.w.WriteHeader(http.StatusOK)
	e.flush()
}

func (e *events) flush() {
	if f, ok := e.w.(http.Flusher); ok {
		f.Flush()
	}
}

func (e *events) write(text string) {
	_, _ = io.WriteString(e.w, text)
	e.flush()
}

func (e *events) message(payload []byte) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.start()
	payload = oneLine(payload)
	data := "data: " + string(payload) + "\n"
	switch e.offer {
	case "multi-line-events":
		var indented bytes.Buffer
		if json.Indent(&indented, payload, "", " ") == nil {
			data = "data: " + strings.ReplaceAll(indented.String(), "\n", "\ndata: ") + "\n"
		}
	case "odd-events":
		e.odd(string(payload))
		return
	}
	text := "event: message\n" + data + "\n"
	switch e.offer {
	case "crlf-events":
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case "cr-events":
		text = strings.ReplaceAll(text, "\n", "\r") + ":\r"
	}
	e.write(text)
}

// odd sends a message without a name and a blank, among what is to be ignored, in pieces.
func (e *events) odd(payload string) {
	text := ": a comment\n\n:\nunknown: field\nretry: not a number\n\nid\nunknown\ndata:" + payload + "\n\n: the end\n\n"
	for len(text) > 0 {
		n := min(len(text), 17)
		e.write(text[:n])
		text = text[n:]
	}
}
