package hub

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strings"

	"midwire/intercept/hub/cluster"
	"midwire/session/mcp"
	"midwire/session/wire"
)

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
		m, ok := one(body)
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
