package hub

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"midwire/intercept/hub/registry"
	"midwire/session/defect"
	"midwire/session/mcp"
	"midwire/session/wire"
)

// From 2026-07-28 there is no handshake and no session: each request says who the
// client is and what it can. The servers behind the hub may have a handshake, so
// the clients that cannot be told apart share instances: those of one credential
// and one clientInfo. A client that wants its own names a session that POST
// /session/init has begun.

// modern returns the version of the protocol of a message that needs no session,
// "" for one of the versions with a handshake.
func modern(r *http.Request, m *wire.Message) string {
	v := wire.Text(wire.Get(m.Params, "_meta", mcp.MetaProtocolVersion))
	if v == "" && mcp.Version(r.Header.Get(mcp.HeaderVersion)).IsModern() {
		v = r.Header.Get(mcp.HeaderVersion)
	}
	return v
}

func (h *Hub) stateless(w http.ResponseWriter, r *http.Request, m *wire.Message, route, version string) {
	if bad := checkModern(r, m, version); bad != nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(bad)
		return
	}
	s, from, err := h.conversation(r, m, route)
	if err != nil {
		refuse(w, m.ID, err)
		return
	}
	s.enter(from)
	defer s.leave()
	switch {
	case !isRequest(m):
		w.WriteHeader(http.StatusAccepted) // closing the stream of a request cancels it; nothing else is said
	default:
		s.exchange(w, r, m)
	}
}

// checkModern looks at what every request must say, in the order of other servers.
// It returns an error response, or nil.
func checkModern(r *http.Request, m *wire.Message, version string) []byte {
	mismatch := func(name, has, want string) []byte {
		return failure(m.ID, mcp.CodeHeaderMismatch, "", "header mismatch: %s header value %q does not match body value %q", name, has, want)
	}
	meta := wire.Get(m.Params, "_meta")
	target := ""
	if p := mcp.NameParam(string(m.Method)); p != "" {
		target = wire.Text(wire.Get(m.Params, p))
	}
	name, _ := mcp.DecodeHeader(r.Header.Get(mcp.HeaderName))
	switch has := r.Header.Get(mcp.HeaderVersion); {
	case has != version:
		return mismatch(mcp.HeaderVersion, has, version)
	case wire.Get(meta, mcp.MetaProtocolVersion) == nil && isRequest(m):
		return failure(m.ID, mcp.CodeInvalidParams, "", "missing or invalid _meta field %q", mcp.MetaProtocolVersion)
	case version != string(mcp.Latest):
		return unsupported(m.ID, version)
	case !isRequest(m):
		return nil
	case r.Header.Get(mcp.HeaderMethod) != string(m.Method):
		return mismatch(mcp.HeaderMethod, r.Header.Get(mcp.HeaderMethod), string(m.Method))
	case target != name:
		return mismatch(mcp.HeaderName, name, target)
	case wire.Get(meta, mcp.MetaClientCapabilities) == nil:
		return failure(m.ID, mcp.CodeInvalidParams, "", "missing or invalid _meta field %q", mcp.MetaClientCapabilities)
	}
	return nil
}

func unsupported(id []byte, version string) []byte {
	if id == nil {
		id = []byte("null")
	}
	supported, _ := json.Marshal(mcp.Versions())
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"unsupported protocol version","data":{"supported":%s,"requested":%s}}}`,
		id, mcp.CodeUnsupportedVersion, supported, quote(clip(version)))
}

// conversation finds the session that has the servers for a request: the one that
// it names, or the one of all clients that look like its own.
func (h *Hub) conversation(r *http.Request, m *wire.Message, route string) (*session, string, error) {
	s, from, err := h.identify(r, m, route)
	if err == nil && s.rec.Params != nil {
		return s, from, nil
	}
	if bad := (*refusal)(nil); errors.As(err, &bad) && bad.status == http.StatusNotFound {
		return nil, "", err
	}
	meta := wire.Get(m.Params, "_meta")
	info := wire.Get(meta, mcp.MetaClientInfo)
	id := h.commonID(r, m, route)
	if s := h.find(r.Context(), id); s != nil {
		return s, "clientInfo", nil
	}
	h.first.Lock()
	defer h.first.Unlock()
	if s := h.find(r.Context(), id); s != nil {
		return s, "clientInfo", nil
	}
	params := fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`,
		mcp.LastHandshake, object(wire.Get(meta, mcp.MetaClientCapabilities)), object(info))
	s, err = h.create(registry.Session{
		ID: id, Shared: true, Route: route, Params: params, Version: string(mcp.Latest), Dir: directory(r),
	}, nil)
	if errors.Is(err, registry.ErrTaken) { // at the same time, for another client like it
		err = &refusal{http.StatusServiceUnavailable, mcp.CodeInternalError, "another hub begins this session: try again"}
	}
	if err != nil {
		return nil, "", err
	}
	s.begin("")
	return s, "clientInfo", nil
}

// sharedID is how the ids of sessions begin that no client has alone.
const sharedID = "all-"

// commonID is the key of the session of all clients whose requests have made the same
// one: it holds all that goes into it, and is no name by which a client gets it.
func (h *Hub) commonID(r *http.Request, m *wire.Message, route string) string {
	meta := wire.Get(m.Params, "_meta")
	sum := sha256.New()
	for _, part := range []string{
		route, credential(r), cmp.Or(directory(r), h.Dir),
		string(wire.Get(meta, mcp.MetaClientCapabilities)), string(wire.Get(meta, mcp.MetaClientInfo)),
	} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	return sharedID + hex.EncodeToString(sum.Sum(nil)[:16])
}

// exchange answers a request, with messages before the response if there are any.
// A client that leaves has cancelled it.
func (s *session) exchange(w http.ResponseWriter, r *http.Request, m *wire.Message) {
	e := s.resume(wire.Text(wire.Get(m.Params, "requestState")), m)
	switch {
	case e != nil:
		e.reply.rebind(w, r)
	case strings.HasPrefix(wire.Text(wire.Get(m.Params, "requestState")), ownState) && !s.toModern(m):
		refuse(w, m.ID, &refusal{http.StatusBadRequest, mcp.CodeInvalidParams, "Invalid or expired requestState"})
		return
	default:
		e = s.start(w, r, m)
	}
	select {
	case answer := <-e.answer:
		e.cancel()
		answer = s.complete(m, answer)
		e.reply.finish(statusOf(answer), answer)
	case <-e.reply.asked:
		e.reply.finish(http.StatusOK, s.suspend(e, m))
	case <-r.Context().Done():
		e.reply.abandon()
		gone, _ := onlyMessage(notification(mcp.NotifyCancelled, []byte(`{"requestId":`+e.id+`}`)))
		s.notified(&gone)
		e.cancel()
	}
}

// toModern says whether a request names a server of its own era, which may be a hub too
// and have issued its state.
func (s *session) toModern(m *wire.Message) bool {
	b := s.routed()
	if b == nil {
		b, _ = s.owner(wire.Text(wire.Get(m.Params, "name")))
	}
	return b != nil && b.use() == nil && b.isModern()
}

// ongoing is a request that runs, over one POST or several.
type ongoing struct {
	id     string // that it has for the servers: those of two clients may be the same
	reply  *reply
	answer chan []byte
	cancel context.CancelFunc
}

func (s *session) start(w http.ResponseWriter, r *http.Request, m *wire.Message) *ongoing {
	e := &ongoing{id: s.ownID(), reply: newReply(w, r), answer: make(chan []byte, 1)}
	e.reply.given = m.ID
	e.reply.asked, e.reply.quiet = make(chan struct{}, 1), wire.Get(m.Params, "_meta", mcp.MetaLogLevel) == nil
	ctx, cancel := context.WithCancel(s.ctx)
	e.cancel = cancel
	own, _ := onlyMessage(splice(m.Raw, m.ID, e.id))
	s.hub.wg.Go(func() { e.answer <- s.handleModern(ctx, &own, e.reply) })
	return e
}

// handleModern is handle for the methods of 2026-07-28.
func (s *session) handleModern(ctx context.Context, m *wire.Message, p *reply) (answer []byte) {
	defer defect.Recover("a request to the hub", 0, func(d *defect.Defect) {
		s.hub.defect(d)
		answer = failure(m.ID, mcp.CodeInternalError, "", "%s", d.Error())
	})
	method := string(m.Method)
	if method == mcp.Listen {
		return s.listen(ctx, m, p)
	}
	if b := s.routed(); b != nil && b.use() == nil && b.isModern() {
		return s.handle(ctx, m, p)
	}
	switch method {
	case mcp.Discover:
		return result(m.ID, s.discovery())
	case mcp.Initialize, mcp.Ping, mcp.LogSetLevel, mcp.ResourcesSubscribe, mcp.ResourcesUnsubscribe, mcp.TasksResult:
		return failure(m.ID, mcp.CodeMethodNotFound, "", "method not found: %q", m.Method)
	}
	return s.handle(ctx, m, p)
}

// discovery is what the hub says of itself and all servers.
func (s *session) discovery() string {
	g := s.greeting(string(mcp.Latest))
	if b := s.routed(); b != nil {
		g = string(object(b.greeted()))
	}
	supported, _ := json.Marshal(mcp.Versions())
	text := ""
	if i := wire.Get([]byte(g), "instructions"); i != nil {
		text = `,"instructions":` + string(i)
	}
	return fmt.Sprintf(`{"supportedVersions":%s,"capabilities":%s%s,"_meta":{%q:%s}}`,
		supported, object(wire.Get([]byte(g), "capabilities")), text, mcp.MetaServerInfo, object(wire.Get([]byte(g), "serverInfo")))
}

// complete makes a response one of 2026-07-28: under the client's id, and with
// what a server of an earlier version does not say.
func (s *session) complete(m *wire.Message, answer []byte) []byte {
	if answer == nil {
		return cancelled(m.ID)
	}
	got, ok := onlyMessage(answer)
	if !ok {
		return answer
	}
	if got.Result != nil && got.Result[0] == '{' {
		add := ""
		if wire.Get(got.Result, "resultType") == nil {
			add = `"resultType":"complete",`
		}
		switch string(m.Method) {
		case mcp.Discover, mcp.ToolsList, mcp.PromptsList,
			mcp.ResourcesList, mcp.ResourceTemplatesList, mcp.ResourcesRead:
			if wire.Get(got.Result, "ttlMs") == nil {
				add += `"ttlMs":0,"cacheScope":"private",`
			}
		}
		if rest := strings.TrimSpace(string(got.Result[1:])); rest == "}" {
			add = strings.TrimSuffix(add, ",")
		}
		answer = splice(answer, got.Result[:1], "{"+add)
		got, _ = onlyMessage(answer)
	}
	if got.ID == nil {
		return answer
	}
	return splice(answer, got.ID, string(m.ID))
}

func statusOf(answer []byte) int {
	m, _ := onlyMessage(answer)
	switch code, _ := wire.Int(wire.Get(m.Error, "code")); code {
	case mcp.CodeMethodNotFound:
		return http.StatusNotFound
	case mcp.CodeInvalidParams, mcp.CodeInvalidRequest, mcp.CodeHeaderMismatch, mcp.CodeMissingCapability,
		mcp.CodeUnsupportedVersion:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
