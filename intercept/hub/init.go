package hub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"time"

	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
	"midwire/session/wire"
)

type initRequest struct {
	ClientInfo       json.RawMessage            `json:"clientInfo"`
	ProtocolVersion  string                     `json:"protocolVersion"`
	WorkingDirectory string                     `json:"workingDirectory"`
	Capabilities     map[string]json.RawMessage `json:"capabilities"`
	Preferences      struct {
		ExecutionContext map[string]plan.Context `json:"executionContext"`
	} `json:"preferences"`
	// Credentials are variables of this session alone, like keys of its own. They
	// are not kept.
	Credentials map[string]string `json:"credentials"`
}

// initSession begins a session with all its servers before its client shakes
// hands.
func (h *Hub) initSession(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var in initRequest
	if err == nil {
		err = checkInit(body)
	}
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		refuse(w, nil, &refusal{http.StatusBadRequest, mcp.CodeInvalidParams, err.Error()})
		return
	}
	s, err := h.create(registry.Session{
		Params: in.params(), Dir: in.WorkingDirectory, Contexts: in.Preferences.ExecutionContext,
		Credential: credential(r), Given: slices.Sorted(maps.Keys(in.Credentials)),
	}, in.Credentials)
	if err != nil {
		refuse(w, nil, err)
		return
	}
	s.enter("init")
	defer s.leave()
	s.begin("")
	s.save()
	writeJSON(w, s.describe(negotiate(in.ProtocolVersion), s.tools(r)))
}

// params are those of the handshake with the servers. Capabilities that are no
// objects of MCP's are the hub's business.
func (in *initRequest) params() []byte {
	known := map[string]json.RawMessage{}
	for _, name := range []string{"roots", "sampling", "elicitation", "tasks", "extensions", "experimental"} {
		if v := in.Capabilities[name]; len(v) > 0 && v[0] == '{' {
			known[name] = v
		}
	}
	capabilities, _ := json.Marshal(known)
	info := in.ClientInfo
	if len(info) == 0 {
		info = json.RawMessage(`{"name":"unknown","version":""}`)
	}
	version := negotiate(in.ProtocolVersion)
	return fmt.Appendf(nil, `{"protocolVersion":%q,"capabilities":%s,"clientInfo":%s}`, version, capabilities, info)
}

type serverState struct {
	Context  plan.Context `json:"executionContext,omitempty"`
	Enabled  bool         `json:"enabled"`
	Reason   string       `json:"reason,omitempty"`
	Endpoint string       `json:"endpoint,omitempty"`
	Dir      string       `json:"workingDirectory,omitempty"`
	Allowed  []string     `json:"allowedDirectories,omitempty"`
	Confined string       `json:"fileAccess,omitempty"`
	Storage  string       `json:"storage,omitempty"`

	// Only what asks for the state of a session is told these.
	Command string            `json:"command,omitempty"`
	Args    []string          `json:"args,omitempty"`
	Env     map[string]string `json:"env,omitempty"`
	Running *bool             `json:"running,omitempty"`
	Handle  string            `json:"sessionId,omitempty"`
	From    string            `json:"sessionIdFrom,omitempty"`
}

// tool is a tool of a session, as POST /session/init lists it.
type tool struct {
	Name    string       `json:"name"`
	Context plan.Context `json:"executionContext"`
	Server  string       `json:"server"`
}

func (s *session) tools(r *http.Request) []tool {
	all := []tool{}
	m, _ := onlyMessage(request(s.ownID(), mcp.ToolsList, nil))
	answer := s.list(r.Context(), &m, nil)
	wire.Items(wire.Get(answer, "result", "tools"), func(_ int, item []byte) bool {
		name := wire.Text(wire.Get(item, "name"))
		if b, _ := s.owner(name); b != nil {
			all = append(all, tool{name, b.part.Context, b.part.Name})
		}
		return true
	})
	return all
}

// describe is the response of POST /session/init.
func (s *session) describe(version string, tools []tool) any {
	local, isRemote := false, false
	servers := map[string]serverState{}
	for _, b := range s.backends {
		st := b.describe()
		local = local || st.Enabled && b.part.Context == plan.Local
		isRemote = isRemote || st.Enabled && b.part.Context == plan.Remote
		servers[b.part.Name] = st
	}
	capabilities := map[string]any{
		"session": map[string]bool{"local_execution": local, "remote_execution": isRemote},
	}
	if len(tools) > 0 {
		capabilities["tools"] = map[string]any{}
	}
	return map[string]any{
		"sessionId": s.id, "protocolVersion": version, "servers": servers, "tools": tools, "capabilities": capabilities,
	}
}

func (b *backend) describe() serverState {
	_, reason := b.state()
	st := serverState{Context: b.part.Context, Enabled: reason == "", Reason: reason, Storage: b.part.Storage}
	if b.part.Context == plan.Remote {
		st.Endpoint = shown(&b.part, b.part.URL)
	} else {
		st.Dir, st.Allowed = shown(&b.part, b.part.Dir), shownAll(&b.part, b.part.Allowed)
		if len(b.part.Allowed) > 0 {
			st.Confined = b.s.hub.confinement()
		}
	}
	return st
}

// showSession says what is known of a session. Values of variables are not.
func (h *Hub) showSession(w http.ResponseWriter, r *http.Request) {
	s := h.open(r.Context(), r.PathValue("id"))
	if s == nil {
		refuse(w, nil, h.unknown(r.Context(), r.PathValue("id")))
		return
	}
	servers := map[string]serverState{}
	for _, b := range s.backends {
		servers[b.part.Name] = b.inspect()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	writeJSON(w, map[string]any{
		"sessionId": s.id, "route": cmp.Or(s.rec.Route, "all"), "protocolVersion": s.rec.Version,
		"client": json.RawMessage(object(wire.Get(s.rec.Params, "clientInfo"))), "workingDirectory": cmp.Or(s.rec.Dir, h.Dir),
		"created": s.rec.Created.UTC().Format(time.RFC3339Nano), "lastAccessed": s.rec.Accessed.UTC().Format(time.RFC3339Nano),
		"preferences": map[string]any{"executionContext": s.rec.Contexts},
		"servers":     servers, "restored": s.restored, "sessionIdFrom": s.seen, "waiting": len(s.asked),
	})
}

func (b *backend) inspect() serverState {
	st := b.describe()
	if line := shownLine(&b.part); len(line) > 0 {
		st.Command, st.Args = line[0], line[1:]
	}
	for name := range b.part.Env {
		if st.Env == nil {
			st.Env = map[string]string{}
		}
		st.Env[name] = "(set)"
	}
	running, _ := b.state()
	st.Running = &running
	b.mu.Lock()
	defer b.mu.Unlock()
	if st.Handle = b.handle.id; st.Handle != "" {
		st.From = "assigned by the server"
		if b.handle.temporary {
			st.From = "made up by the hub: the server wanted one and issued none"
		}
	}
	return st
}

func (h *Hub) deleteSession(w http.ResponseWriter, r *http.Request) {
	s := h.open(r.Context(), r.PathValue("id"))
	if s == nil {
		refuse(w, nil, h.unknown(r.Context(), r.PathValue("id")))
		return
	}
	h.endSession(r.Context(), s, byClient)
	writeJSON(w, map[string]any{"sessionId": s.id, "ended": true})
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	b, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(append(b, '\n'))
}
