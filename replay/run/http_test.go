package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/session/wire"
)

// rawHTTP is a server that answers a POST with its parameters, and remembers
// what it was sent.
type rawHTTP struct {
	mu   sync.Mutex // guards what follows
	seen []*http.Request
	odd  func(w http.ResponseWriter, r *http.Request, m wire.Message) bool // true: it has responded
}

func (s *rawHTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := wire.ScanMessage(body)
	s.mu.Lock()
	s.seen = append(s.seen, r)
	odd := s.odd
	s.mu.Unlock()
	switch {
	case odd != nil && odd(w, r, m):
	case m.Kind != wire.MsgRequest:
		w.WriteHeader(http.StatusAccepted)
	default:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"got":%s}}`, m.ID, cmp.Or(string(m.Params), "null"))
	}
}

func (s *rawHTTP) start(t *testing.T) string {
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL
}

// answer changes the server while it is running.
func (s *rawHTTP) answer(odd func(http.ResponseWriter, *http.Request, wire.Message) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.odd = odd
}

func (s *rawHTTP) headers(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, r := range s.seen {
		all = append(all, r.Header.Get(name))
	}
	return all
}

func post(t *testing.T, ctx context.Context, url, body string, fields ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return // it was given up
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body)
}

const echoCall = `{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}`

// A masked credential is asked for by name, and never made up.
func TestMaskedCredentials(t *testing.T) {
	t.Parallel()
	server := &rawHTTP{}
	url := server.start(t)
	path := replaytest.OverHTTP(t, url+"/mcp", func(origin string) {
		post(t, t.Context(), origin+"/mcp", echoCall, "Authorization: Bearer abc", "X-Custom: kept", "Mcp-Session-Id: mine")
	})
	p, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	server.seen = nil
	_, err = Run(t.Context(), p, Options{Server: peer.Server{URL: replaytest.URL(t, url), Record: replaytest.Library(t)}})
	if err == nil || !strings.Contains(err.Error(), "Authorization") || len(server.seen) > 0 {
		t.Fatalf("error %v, %d requests", err, len(server.seen))
	}
	r, err := Run(t.Context(), p, Options{Server: peer.Server{URL: replaytest.URL(t, url), Record: replaytest.Library(t), Header: http.Header{"authorization": {"Bearer new"}}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"Authorization": "Bearer new", "X-Custom": "kept"} {
		if got := server.headers(name); got[len(got)-1] != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if r.Count(replay.Same) != 1 {
		t.Errorf("%v", r.Outcomes)
	}
}

// A stream that breaks off before the response is resumed, as it was.
func TestResumption(t *testing.T) {
	t.Parallel()
	broken := func(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
		switch {
		case r.Header.Get("Last-Event-ID") == "e1":
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
		case r.Method == http.MethodPost:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "id: e1\nretry: 1\ndata:\n\n")
		default:
			return false
		}
		return true
	}
	server := &rawHTTP{odd: broken}
	url := server.start(t)
	path := replaytest.OverHTTP(t, url+"/mcp", func(origin string) {
		post(t, t.Context(), origin+"/mcp", echoCall)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, origin+"/mcp", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Accept", "text/event-stream")
		req.Header.Set("Last-Event-ID", "e1")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	})
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}, Timeout: 5 * time.Second})
	allSame(t, r, 1)
}

// A client that gave up a call gives it up again.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	const modern = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	got, left := make(chan struct{}, 2), make(chan struct{}, 2)
	server := &rawHTTP{odd: func(w http.ResponseWriter, r *http.Request, m wire.Message) bool {
		if string(m.Method) != "tools/call" {
			return false
		}
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		got <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
		return true
	}}
	url := server.start(t)
	path := replaytest.OverHTTP(t, url+"/mcp", func(origin string) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { <-got; time.AfterFunc(time.Second, cancel) }() // the replay has as long to arrive
		post(t, ctx, origin+"/mcp", modern)
		<-left
	})
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}})
	allSame(t, r, 1)
	<-left // or the test hangs
}

// A host that opens a session for every call uses handles of one in the
// next.
func TestHandlesCrossSessions(t *testing.T) {
	t.Parallel()
	url := replaytest.ServeDocs(t)
	path := replaytest.OverHTTP(t, url, func(origin string) {
		one := func(tool string, args replaytest.Args) string {
			s := replaytest.Host(t, &mcp.StreamableClientTransport{Endpoint: origin + "/mcp"}, "2025-06-18")
			defer s.Close()
			return replaytest.Call(t, s, tool, args)
		}
		text := one("read", replaytest.Args{Name: "a.md"})
		one("edit", replaytest.Args{Name: "a.md", SessionID: text[len(text)-13 : len(text)-1]})
	})
	s := load(t, path)
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}})
	allSame(t, r, len(s.Calls))
	if r.Substituted != 1 {
		t.Errorf("%d substitutions", r.Substituted)
	}
	p, err := s.Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"tools/call edit", "params.arguments.session_id", "handle from the response to #", `behind "`, "[session: ", "not marked read-only: edit"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the plan does not say %q:\n%s", want, b.String())
		}
	}
}

// Without leave nothing is changed on a server: tools that are not marked
// read-only are named, or left out.
func TestConsent(t *testing.T) {
	t.Parallel()
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	p, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve(), Record: replaytest.Library(t)}}); err == nil || !strings.Contains(err.Error(), ": edit. --yes") {
		t.Errorf("error: %v", err)
	}
	r, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve(), Record: replaytest.Library(t)}, OnlyRead: true})
	if err != nil || r.Count(replay.Skipped) != 3 || r.Differs() {
		t.Errorf("%v, %v", err, r.Outcomes)
	}
	for _, line := range replaytest.Sent(t, r.Other[0]) {
		if strings.Contains(line, `"edit"`) {
			t.Errorf("sent: %s", line)
		}
	}
}

// What the user sets is sent; without correlation the recorded handle is.
func TestOverrides(t *testing.T) {
	t.Parallel()
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	set := func(text string) replay.Setting {
		s, err := replay.ParseSetting(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	plain, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil || len(plain.Subs) != 2 {
		t.Fatalf("%v, %v", err, plain.Subs)
	}
	for name, opt := range map[string]replay.PlanOptions{
		"path":   {Set: []replay.Setting{set("params.arguments.session_id=mine")}},
		"handle": {Set: []replay.Setting{set(plain.Sources[0].Was + "=mine")}},
	} {
		p, err := load(t, path).Plan(opt)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), p, Options{Server: peer.Server{Command: replaytest.Serve(), Record: replaytest.Library(t)}, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(replaytest.Sent(t, r.Other[0]), "\n"); !strings.Contains(got, `"session_id":"mine"`) || r.Count(replay.Broken) == 0 {
			t.Errorf("%s: sent %s", name, got)
		}
	}
}

// What is no JSON-RPC, on either side, is replayed and compared as far as it
// can be.
func TestNoJSON(t *testing.T) {
	t.Parallel()
	server := &rawHTTP{odd: func(w http.ResponseWriter, _ *http.Request, m wire.Message) bool {
		http.Error(w, "Bad Request: Server not initialized", http.StatusBadRequest)
		return true
	}}
	url := server.start(t)
	path := replaytest.OverHTTP(t, url+"/mcp", func(origin string) {
		post(t, t.Context(), origin+"/mcp", echoCall)
		post(t, t.Context(), origin+"/mcp", "hello")
		post(t, t.Context(), origin+"/mcp", `"12345678"`)
	})
	allSame(t, replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}}), 1)
	server.answer(func(w http.ResponseWriter, _ *http.Request, _ wire.Message) bool {
		http.Error(w, "no", http.StatusNotFound)
		return true
	})
	r := replayed(t, path, Options{Server: peer.Server{URL: replaytest.URL(t, url)}})
	if r.Count(replay.Changed) != 1 || r.Outcomes[0].Changes[0].Path != "status" {
		t.Errorf("%v", r.Outcomes)
	}
	noise := replaytest.Tape(t, "stdio", `
		> hello there
		> {"jsonrpc":"2.0","id":1,"method":"echo"}
		< welcome
		< {"jsonrpc":"2.0","id":1,"result":{"got":null}}`)
	r = replayed(t, noise, Options{Server: peer.Server{Command: replaytest.Serve("raw")}})
	allSame(t, r, 1)
	if lines := replaytest.Sent(t, r.Other[0]); lines[0] != "hello there" {
		t.Errorf("sent %q", lines)
	}
}

// A server that is stuck does not cost the time of every call.
func TestStuckServer(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("> {\"jsonrpc\":\"2.0\",\"id\":\"first\",\"method\":\"echo\"}\n< {\"jsonrpc\":\"2.0\",\"id\":\"first\",\"result\":{\"got\":null}}\n")
	for i := range 50 {
		fmt.Fprintf(&b, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"hang\"}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", i, i)
	}
	r := replayed(t, replaytest.Tape(t, "stdio", b.String()), Options{Server: peer.Server{Command: replaytest.Serve("raw")}, Timeout: 700 * time.Millisecond})
	if len(r.Outcomes) != 51 || !strings.Contains(r.Outcomes[50].Note, "stopped responding") || r.Count(replay.Broken) != 50 {
		t.Errorf("%d outcomes, the last: %+v", len(r.Outcomes), r.Outcomes[len(r.Outcomes)-1])
	}
}
