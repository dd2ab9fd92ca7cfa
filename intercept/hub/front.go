package hub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"midwire/intercept"
	"midwire/intercept/hub/registry"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// maxBody bounds what a client may post, and one message of a server. maxBatch bounds
// the messages of a client's batch: each takes more memory than the bytes that it is.
const (
	maxBody  = 64 << 20
	maxBatch = 1000
)

// ServeHTTP is what the switchboard does not pass on: Streamable HTTP, the
// sessions, and what is said of the hub itself.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if why := h.refusal(intercept.RequestCaller(r)); why != "" {
		http.Error(w, why, http.StatusForbidden)
		return
	}
	if h.closing.Load() {
		http.Error(w, "midwire: the hub ends", http.StatusServiceUnavailable)
		return
	}
	defer defect.Recover("a request to the hub", 0, func(d *defect.Defect) {
		h.defect(d)
		http.Error(w, "midwire: "+d.Error(), http.StatusInternalServerError)
	})
	h.mux.ServeHTTP(w, r)
}

// defect tells of a panic of the hub's own, which ended one request, message or
// connection.
func (h *Hub) defect(d *defect.Defect) {
	h.Log.Error("defect", "unit", d.Unit, "what", d.What)
	if h.OnTrouble != nil {
		h.OnTrouble(d)
	}
}

// refusal is why a request is for no part of the hub, "" when it may be. It comes
// before everything else, on every path.
func (h *Hub) refusal(c intercept.Caller) string { return c.Refusal("the hub", h.AllowHosts...) }

func (h *Hub) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) { h.endpoint(w, r, "") })
	for _, name := range h.names() {
		one := func(w http.ResponseWriter, r *http.Request) { h.endpoint(w, r, name) }
		mux.HandleFunc("/mcp/"+name, one)
		mux.HandleFunc("/"+name+"/mcp", one)
	}
	mux.HandleFunc("POST /session/init", h.initSession)
	mux.HandleFunc("GET /session/{id}", h.showSession)
	mux.HandleFunc("DELETE /session/{id}", h.deleteSession)
	mux.HandleFunc("POST /session/{id}/destroy", h.deleteSession)
	mux.HandleFunc("DELETE /session/{id}/destroy", h.deleteSession)
	mux.HandleFunc("GET /healthz", h.health)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, "midwire: there is /mcp with all servers, /NAME/mcp with one, /session/init and /healthz", http.StatusNotFound)
	})
	return mux
}

func (h *Hub) endpoint(w http.ResponseWriter, r *http.Request, route string) {
	switch r.Method {
	case http.MethodPost:
		h.post(w, r, route)
	case http.MethodGet, http.MethodDelete:
		s, from, err := h.identify(r, nil, route)
		if err != nil {
			refuse(w, nil, err)
			return
		}
		if r.Method == http.MethodDelete {
			h.endSession(r.Context(), s, byClient)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		s.enter(from)
		defer s.leave()
		h.get(w, r, s)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "midwire: GET, POST or DELETE", http.StatusMethodNotAllowed)
	}
}

// get is the stream without a request, or the rest of another one.
func (h *Hub) get(w http.ResponseWriter, r *http.Request, s *session) {
	last := r.Header.Get(mcp.HeaderLastEventID)
	if name, _ := eventNumber(last); name == "" || name == s.out.trail.name {
		s.out.serve(w, r, s.ctx.Done())
	} else if !s.rest(w, r, last) {
		refuse(w, nil, &refusal{http.StatusBadRequest, mcp.CodeInvalidRequest, "nothing is left of this stream after this event"})
	}
}

// refusal is why a request is not taken: an error response with a status.
type refusal struct {
	status, code int
	text         string
}

func (e *refusal) Error() string { return e.text }

func refuse(w http.ResponseWriter, id []byte, err error) {
	bad := &refusal{http.StatusInternalServerError, mcp.CodeInternalError, err.Error()}
	errors.As(err, &bad)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(bad.status)
	_, _ = w.Write(failure(id, bad.code, "", "%s", redact.Text(clip(bad.text))))
}

func (h *Hub) post(w http.ResponseWriter, r *http.Request, route string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, nil, &refusal{http.StatusRequestEntityTooLarge, mcp.CodeInvalidRequest, err.Error()})
		return
	}
	var messages []wire.Message
	if !wire.IsMediaType(r.Header.Get("Content-Type"), "application/json") {
		refuse(w, nil, &refusal{http.StatusUnsupportedMediaType, mcp.CodeInvalidRequest, "Content-Type must be application/json"})
		return
	}
	n, _ := wire.ScanMessages(body, func(_ int, m wire.Message) bool {
		messages = append(messages, m)
		return len(messages) <= maxBatch
	})
	if n > maxBatch {
		refuse(w, nil, &refusal{http.StatusRequestEntityTooLarge, mcp.CodeInvalidRequest, fmt.Sprintf("a batch of more than %d messages", maxBatch)})
		return
	}
	if n == 0 {
		refuse(w, nil, &refusal{http.StatusBadRequest, mcp.CodeParseError, "Parse error: the body is no message of JSON-RPC"})
		return
	}
	first := &messages[0]
	if v := modern(r, first); v != "" {
		h.stateless(w, r, first, route, v)
		return
	}
	s, from, err := h.identify(r, first, route)
	if err != nil {
		refuse(w, first.ID, err)
		return
	}
	s.enter(from)
	p := newReply(w, r)
	begins := string(first.Method) == mcp.Initialize
	if begins {
		w.Header().Set(mcp.HeaderSessionID, s.id)
	}
	asks := slices.ContainsFunc(messages, func(m wire.Message) bool { return isRequest(&m) })
	defer s.leave() // a call that goes on without its client does not keep the session
	if begins || !p.takes || !asks {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.ctx, cancel)()
		s.take(ctx, messages, p)
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	mine := s.keep(p, cancel)
	h.wg.Go(func() {
		defer cancel()
		s.take(ctx, messages, p)
	})
	select {
	case <-mine:
	case <-r.Context().Done():
		p.detach(mine)
	}
}

func (s *session) take(ctx context.Context, messages []wire.Message, p *reply) {
	var asked []*wire.Message
	for i := range messages {
		if isRequest(&messages[i]) {
			asked = append(asked, &messages[i])
		}
	}
	for i := range messages {
		m := &messages[i]
		answer := s.handle(ctx, m, p)
		switch {
		case answer == nil:
		case len(asked) == 1:
			p.finish(http.StatusOK, answer)
		case !p.event(answer):
			s.log().Warn("a batch of a client that takes no events: a response is lost", "id", string(m.ID))
		}
	}
	switch {
	case ctx.Err() != nil && s.ctx.Err() == nil:
		p.abandon()
	case len(asked) > 0 && !p.takes: // it was cancelled: a stream may end without a response
		p.finish(http.StatusOK, cancelled(asked[0].ID))
	case len(asked) > 0:
		p.finish(http.StatusOK, nil)
	default:
		p.finish(http.StatusAccepted, nil)
	}
}

// cancelled is the response to a request that the client has cancelled, where there has
// to be one.
func cancelled(id []byte) []byte {
	return failure(id, mcp.CodeInternalError, "", "the request was cancelled")
}

// identify finds the session of a request, and how it is named: by the header, the
// query, _meta, or the credential with which it began. The first message of a
// client begins one.
func (h *Hub) identify(r *http.Request, m *wire.Message, route string) (s *session, from string, err error) {
	begins := m != nil && string(m.Method) == mcp.Initialize
	id, from := r.Header.Get(mcp.HeaderSessionID), "header"
	if id == "" {
		id, from = r.URL.Query().Get("session_id"), "query"
	}
	if id != "" {
		if s = h.open(r.Context(), id); s == nil || s.rec.Route != route && s.rec.Route != "" {
			return nil, "", h.unknown(r.Context(), id)
		}
		return s, from, nil
	}
	if begins {
		s, err := h.begin(r, m, route)
		return s, "new", err
	}
	if m != nil { // any text may stand there: it is a name only if there is such a session
		if s = h.open(r.Context(), wire.Text(wire.Get(m.Params, "_meta", "session_id"))); s != nil && s.rec.Route == route {
			return s, "_meta", nil
		}
	}
	if id := h.byCredential(r.Context(), credential(r), route, directory(r)); id != "" {
		if s = h.find(r.Context(), id); s != nil {
			return s, "authorization", nil
		}
	}
	return nil, "", &refusal{http.StatusBadRequest, mcp.CodeBadSession, "Bad Request: " + mcp.HeaderSessionID + " header is required"}
}

func (h *Hub) begin(r *http.Request, m *wire.Message, route string) (*session, error) {
	return h.create(registry.Session{
		Route: route, Params: append(json.RawMessage(nil), object(m.Params)...), Credential: credential(r),
		Dir: directory(r),
	}, nil)
}

// directory is the working directory that a request wants, "" for the hub's.
func directory(r *http.Request) string { return r.URL.Query().Get("workingDirectory") }

// credential is a hash of what a client proves itself with, "" for nothing.
func credential(r *http.Request) string {
	given := r.Header.Get("Authorization")
	if given == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(given))
	return hex.EncodeToString(sum[:16])
}
