package hub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"

	"midwire/intercept/hub/cluster"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
	"midwire/session/wire"
)

func (h *Hub) isStale(rec *registry.Session, now time.Time) bool {
	return h.Timeout > 0 && now.Sub(rec.Accessed) > h.Timeout
}

// reap ends the sessions that no one has used for long, until ctx ends.
func (h *Hub) reap(ctx context.Context) {
	if h.Timeout <= 0 {
		return
	}
	look := time.NewTicker(max(min(h.Timeout/10, time.Minute), time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-look.C:
			h.reapOnce(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// reapOnce ends what is stale in the store. A session with a request under way is
// not, and one that another hub uses has been saved there.
func (h *Hub) reapOnce(ctx context.Context) {
	all, err := h.sessions.List(ctx)
	if err != nil {
		h.Log.Error("sessions not read", "error", err.Error())
		return
	}
	for _, rec := range all {
		if !h.isStale(rec, h.now()) {
			continue
		}
		if s := h.running(rec.ID); s != nil {
			if s.inUse() {
				s.save()
				continue
			}
			h.endSession(ctx, s, h.timedOut())
			continue
		}
		h.past.add(rec.ID, h.timedOut())
		if err := h.sessions.Delete(ctx, rec.ID); err == nil {
			h.Log.Info("session ends", "session", short(rec.ID), "why", h.timedOut())
		}
	}
}

// inUse reports whether the session was used since it was kept last.
func (s *session) inUse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy > 0 {
		s.rec.Accessed = s.hub.now()
	}
	return !s.hub.isStale(&s.rec, s.hub.now())
}

// watch ends what another hub has ended or taken over, until ctx ends.
func (h *Hub) watch(ctx context.Context) {
	err := h.Store.Watch(ctx, func(e registry.Entry) {
		if e.Value == nil {
			h.past.add(e.Key, byOther)
		}
		s := h.running(e.Key)
		if s == nil {
			return
		}
		if e.Value == nil {
			h.wg.Go(func() { h.remove(s, false) })
			return
		}
		var rec registry.Session
		if json.Unmarshal(e.Value, &rec) == nil && rec.Hub != "" && rec.Hub != h.name {
			h.lose(s)
		}
	})
	if err != nil && ctx.Err() == nil {
		h.Log.Error("the store is not watched", "error", err.Error())
	}
}

// shared puts what passes requests on to other hubs before this one's own.
func (h *Hub) shared(own http.Handler, to http.RoundTripper) http.Handler {
	return &cluster.Front{
		Name: h.name, Registry: h.sessions, Members: h.Members, Log: h.Log, Transport: to, Next: own,
		Session: h.named, Here: func(id string) bool { return h.running(id) != nil },
	}
}

// named names the session of a request as identify finds it, without looking
// whether there is one. What begins a session names none.
func (h *Hub) named(r *http.Request) string {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if path[0] == "session" {
		if len(path) > 1 && path[1] != "init" {
			return path[1]
		}
		return ""
	}
	route := ""
	switch {
	case len(path) == 2 && path[0] == "mcp":
		route = path[1]
	case len(path) == 2 && path[1] == "mcp":
		route = path[0]
	case r.URL.Path != "/mcp":
		return ""
	}
	if id := r.Header.Get(mcp.HeaderSessionID); id != "" {
		return id
	}
	if id := r.URL.Query().Get("session_id"); id != "" {
		return id
	}
	if r.Method == http.MethodPost {
		body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
		r.Body = struct {
			io.Reader
			io.Closer
		}{bytes.NewReader(body), r.Body}
		m, ok := onlyMessage(body)
		isModern := ok && modern(r, &m) != ""
		if err != nil || !ok || string(m.Method) == mcp.Initialize && !isModern {
			return ""
		}
		id := wire.Text(wire.Get(m.Params, "_meta", "session_id")) // any text may stand there
		if _, _, err := h.sessions.Load(r.Context(), id); err == nil {
			return id
		}
		if isModern {
			return cmp.Or(h.byCredential(r.Context(), credential(r), route, directory(r)), h.commonID(r, &m, route))
		}
	}
	return h.byCredential(r.Context(), credential(r), route, directory(r))
}

// lose ends a session in this process that another hub has taken over.
func (h *Hub) lose(s *session) {
	h.Log.Warn("session taken over by another hub", "session", short(s.id))
	h.wg.Go(func() { h.remove(s, true) })
}
