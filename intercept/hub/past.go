package hub

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"midwire/session/mcp"
)

// maxPast bounds how many sessions that have ended a hub remembers.
const maxPast = 10_000

// past is why sessions have ended, the latest of them. Any goroutine may call its methods.
type past struct {
	mu    sync.Mutex // guards below
	why   map[string]string
	order []string
}

// add remembers a session. The first reason counts: what follows from it is none.
func (p *past) add(id, why string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.why[id] != "" || strings.HasPrefix(id, sharedID) { // which no client names
		return
	}
	if len(p.order) >= maxPast {
		delete(p.why, p.order[0])
		p.order = p.order[1:]
	}
	if p.why == nil {
		p.why = map[string]string{}
	}
	p.why[id], p.order = why, append(p.order, id)
}

func (p *past) of(id string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.why[id]
}

// The reasons why a session has ended.
const (
	byClient = "its client ended it"
	byOther  = "it was ended"
)

func (h *Hub) timedOut() string {
	return fmt.Sprintf("it timed out after %s without a request", h.Timeout)
}

// unknown refuses a request for a session that there is not, and says what became of it.
func (h *Hub) unknown(ctx context.Context, id string) *refusal {
	why := h.past.of(id)
	if rec, _, err := h.sessions.Load(ctx, id); why == "" && err == nil && !rec.Shared && h.isStale(rec, h.now()) {
		why = h.timedOut()
	}
	text := "Session not found"
	if why != "" {
		text += ": " + why
	}
	return &refusal{
		http.StatusNotFound, mcp.CodeSessionNotFound, text + ". Start a new one with initialize, without a session id",
	}
}
