package stages

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/fixtures/replaytest"
	"midwire/replay/checks"
	"midwire/replay/peer"
)

func TestMain(m *testing.M) { replaytest.Main(m, nil) }

// server is one that does all right, but for what wrong names.
type server struct {
	wrong string

	mu       sync.Mutex
	sessions map[string]bool
	n        int
	called   []string
}

func (s *server) is(wrong string) bool { return s.wrong == wrong }

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.Header.Get("Mcp-Session-Id")
	refuse := func(status, code int, text string) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, text)
	}
	if o := r.Header.Get("Origin"); o != "" && !s.is("origin") {
		refuse(403, -32000, "foreign origin")
		return
	}
	switch r.Method {
	case http.MethodGet:
		if s.is("get") {
			fmt.Fprint(w, "hello")
			return
		}
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case http.MethodDelete:
		if !s.is("delete") {
			delete(s.sessions, id)
		}
		return
	}
	raw, _ := io.ReadAll(r.Body)
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ProtocolVersion, Cursor, Name string
			Arguments                     map[string]any
		}
	}
	if json.Unmarshal(raw, &m) != nil {
		refuse(400, -32700, "no JSON")
		return
	}
	if m.Method != "initialize" {
		switch {
		case id == "":
			refuse(400, -32000, "no session id")
			return
		case !s.sessions[id]:
			refuse(404, -32001, "no such session")
			return
		case r.Header.Get("Mcp-Protocol-Version") == "1999-01-01" && !s.is("version header"):
			refuse(400, -32000, "no such version")
			return
		}
	}
	if m.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result, failure := s.respond(w, m.Method, m.Params.ProtocolVersion, m.Params.Cursor, m.Params.Name, m.Params.Arguments)
	w.Header().Set("Content-Type", "application/json")
	if failure != "" {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":%s}`, m.ID, failure)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (s *server) respond(w http.ResponseWriter, method, version, cursor, name string, args map[string]any) (result, failure string) {
	switch method {
	case "initialize":
		s.n++
		id := fmt.Sprintf("4f0c7a1e-%04d-4b7e-9c55-6f1d2a3b4c5d", s.n)
		s.sessions[id] = true
		w.Header().Set("Mcp-Session-Id", id)
		if !slices.Contains([]string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}, version) && !s.is("versions") {
			version = "2025-11-25"
		}
		return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`, version), ""
	case "ping":
		return `{}`, ""
	case "tools/list":
		const roll = `{"name":"roll","inputSchema":{"type":"object","properties":{"sides":{"type":"integer"}},"required":["sides"]},"annotations":{"readOnlyHint":true}}`
		switch {
		case cursor == "" && s.is("pages"), cursor == "again":
			return `{"tools":[` + roll + `],"nextCursor":"again"}`, ""
		case cursor == "":
			return `{"tools":[` + roll + `],"nextCursor":"two"}`, ""
		case s.is("twice"):
			return `{"tools":[` + roll + `]}`, ""
		}
		return `{"tools":[{"name":"burn","inputSchema":{"type":"object","properties":{}}}]}`, ""
	case "tools/call":
		s.called = append(s.called, name)
		_, number := args["sides"].(float64)
		switch {
		case name == "roll" && (number || s.is("arguments")):
			return `{"content":[{"type":"text","text":"4"}]}`, ""
		case name == "roll":
			return `{"isError":true,"content":[{"type":"text","text":"sides has to be a number"}]}`, ""
		case s.is("tools"), name == "burn":
			return `{"content":[]}`, ""
		}
		return "", `{"code":-32602,"message":"no such tool"}`
	}
	if s.is("methods") {
		return `{}`, ""
	}
	return "", `{"code":-32601,"message":"no such method"}`
}

func tested(t *testing.T, s *server, opt Options) *checks.Report {
	t.Helper()
	s.sessions = map[string]bool{}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	u, err := url.Parse(h.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	opt.URL, opt.Record = u, replaytest.Library(t)
	r, err := Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWrongOnes: what a server does wrong is said, and nothing else.
func TestWrongOnes(t *testing.T) {
	t.Parallel()
	for wrong, want := range map[string]string{
		"":               "",
		"origin":         "noted transport a foreign Origin",
		"get":            "failed transport GET",
		"delete":         "failed transport a session that was ended",
		"version header": "failed transport an unknown version in the header",
		"versions":       "failed handshake initialize 1999-01-01",
		"methods":        "failed messages unknown method",
		"pages":          "failed lists tools/list",
		"twice":          "failed lists tools/list",
		"tools":          "failed calls a tool that does not exist",
		"arguments":      "noted calls roll without sides",
	} {
		t.Run(wrong, func(t *testing.T) {
			t.Parallel()
			if testing.Short() && wrong != "" && wrong != "get" {
				t.Skip("the same goroutines as with the others")
			}
			s := &server{wrong: wrong}
			r := tested(t, s, Options{Timeout: time.Minute}) // 10 MiB take their time under the race detector
			found := false
			for _, c := range r.Checks {
				at := strings.Join([]string{string(c.Verdict), c.Stage, c.Name}, " ")
				switch {
				case at == want:
					found = true
				case (c.Verdict == checks.Failed || c.Verdict == checks.Noted) && c.Stage != "rules" && !(wrong == "arguments" && c.Stage == "calls"):
					t.Errorf("%s: %s", at, c.Text)
				case c.Stage == "rules" && c.Verdict == checks.Failed && wrong == "":
					t.Errorf("%s: %s", at, c.Text)
				}
			}
			if !found && want != "" {
				t.Errorf("no %q in\n%s", want, r.Text())
			}
			if slices.Contains(s.called, "burn") {
				t.Error("a tool that is not marked read-only was called")
			}
			if len(r.Recordings) != 2 || r.Name != "shop 1" || r.Version != "2025-11-25" {
				t.Errorf("%+v", r)
			}
		})
	}
	s := &server{}
	if tested(t, s, Options{Yes: true}); !slices.Contains(s.called, "burn") {
		t.Error("with leave all tools are called")
	}
}

// TestStdio: a server of the SDK passes; one that is not there, and one that ends, do not.
func TestStdio(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), Options{Server: peer.Server{Command: replaytest.Serve(), Record: replaytest.Library(t)}})
	for _, c := range r.Checks { // its tool “ask” asks a client that cannot be asked
		if c.Verdict == checks.Failed && c.Name != "client-capability-missing" {
			t.Errorf("%+v", c)
		}
	}
	if err != nil || r.Count(checks.Failed) != 1 || r.Count(checks.Passed) < 12 {
		t.Errorf("%v\n%s", err, r.Text())
	}
	r, err = Run(context.Background(), Options{Server: peer.Server{Command: []string{"midwire-no-such-program"}, Record: replaytest.Library(t)}})
	if err != nil || len(r.Checks) != 1 || r.Count(checks.Failed) != 1 {
		t.Errorf("%v\n%s", err, r.Text())
	}
	r, err = Run(context.Background(), Options{Server: peer.Server{Command: []string{os.Args[0], "-test.run=none"}, Record: replaytest.Library(t)}, Timeout: time.Second})
	if err != nil || r.Count(checks.Failed) == 0 {
		t.Errorf("%v\n%s", err, r.Text())
	}
}
