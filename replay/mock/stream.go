package mock

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"

	"midwire/session"
	"midwire/session/mcp"
)

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

// get opens the stream for unprompted server messages, or an HTTP+SSE
// session.
func (h *handler) get(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		http.Error(w, "midwire mock: the recording is no web page; POST to it as an MCP client does", http.StatusMethodNotAllowed)
		return
	}
	c := h.known(r)
	switch {
	case c != nil && r.Header.Get(mcp.HeaderSessionID) != "":
		if c.hasStream() {
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

// announces reports whether a GET begins an HTTP+SSE session.
func (h *handler) announces(r *http.Request) bool {
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
func (h *handler) hold(ctx context.Context, c *client, out func([]byte)) {
	c.mu.Lock()
	c.ctx = ctx
	c.mu.Unlock()
	c.open(out)
	<-ctx.Done()
	c.open(nil)
}

func (c *client) hasStream() bool {
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
