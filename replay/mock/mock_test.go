package mock

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/classics"
	"midwire/fixtures/classics/classicstest"
	"midwire/fixtures/replaytest"
	"midwire/replay"
	"midwire/replay/peer"
	"midwire/replay/run"
	"midwire/session/wire"
)

// masked is what a recording has in the place of a credential.
const masked = "redacted:0a1b2c3d"

// TestMain lets the test binary play a recording: "mock" and its path.
func TestMain(m *testing.M) {
	replaytest.Main(m, map[string]func([]string) error{"mock": func(args []string) error {
		s, err := replay.Load(args[0])
		if err != nil {
			return err
		}
		return (&Server{Script: s}).Stdio(context.Background(), os.Stdin, os.Stdout)
	}})
}

func load(t testing.TB, path string) *replay.Script {
	t.Helper()
	s, err := replay.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// replayed replays a recording, and fails the test with what differs.
func replayed(t testing.TB, path string, opt run.Options) {
	t.Helper()
	p, err := load(t, path).Plan(replay.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opt.Yes, opt.Record = true, replaytest.Library(t)
	r, err := run.Run(t.Context(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	if r.Differs() {
		var b strings.Builder
		_ = r.Write(&b, replay.FormatText)
		t.Errorf("with %v: %s", opt.Command, b.String())
	}
}

// mockStdio serves a recording on pipes.
func mockStdio(t *testing.T, m *Server) mcp.Transport {
	t.Helper()
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := m.Stdio(context.Background(), inR, outW); err != nil {
			t.Error(err)
		}
		outW.Close()
	})
	t.Cleanup(func() { inW.Close(); wg.Wait() })
	return &mcp.IOTransport{Reader: outR, Writer: inW}
}

// mockHTTPServer serves a recording over HTTP.
func mockHTTPServer(t *testing.T, m *Server) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := m.Serve(ctx, ln); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return "http://" + ln.Addr().String()
}

// A client that ran against the real server runs against the mock unchanged:
// on its own transport and revision, and on others.
func TestMockStandsInForTheServer(t *testing.T) {
	for name, path := range replaytest.Recordings(t) {
		_, rev, _ := strings.Cut(name, " ")
		ask := rev != "2026-07-28"
		asked := rev
		if !ask {
			asked = ""
		}
		t.Run(name, func(t *testing.T) {
			m := &Server{Script: load(t, path), Say: func(text string) { t.Errorf("unmatched: %s", text) }}
			replaytest.Play(t, replaytest.Host(t, mockStdio(t, m), asked), ask)
			url := mockHTTPServer(t, m)
			replaytest.Play(t, replaytest.Host(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: !ask}, asked), ask)
			if ask {
				replaytest.Play(t, replaytest.Host(t, &mcp.SSEClientTransport{Endpoint: url + "/sse"}, asked), true)
			}
		})
	}
}

// A replay against the mock of a recording finds nothing different.
func TestMockAnswersAsRecorded(t *testing.T) {
	for name, path := range replaytest.Recordings(t) {
		t.Run(name, func(t *testing.T) {
			s := load(t, path)
			url := mockHTTPServer(t, &Server{Script: s})
			opt := run.Options{Server: peer.Server{URL: replaytest.URL(t, url)}}
			if s.Header.Tap == "stdio" {
				opt.URL.Path = "/mcp"
			}
			replayed(t, path, opt)
		})
	}
}

// Two clients at once each get the recording from its beginning.
func TestMockClientsHavePositionsOfTheirOwn(t *testing.T) {
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, true) })
	url := mockHTTPServer(t, &Server{Script: load(t, path)})
	var wg sync.WaitGroup
	for range 4 {
		s := replaytest.Host(t, &mcp.StreamableClientTransport{Endpoint: url}, "2025-06-18")
		wg.Go(func() { replaytest.Play(t, s, true) })
	}
	wg.Wait()
}

func TestMockRefusesWhatNobodyRecorded(t *testing.T) {
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	m := &Server{Script: load(t, path)}
	s := replaytest.Host(t, mockStdio(t, m), "2025-06-18")
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: replaytest.Args{Name: "z.md"}})
	for _, want := range []string{"nearest is #", "params.arguments.name", `"a.md"`, `"z.md"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
	if _, err := s.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "resources/list is not in the recording") {
		t.Errorf("unknown method: %v", err)
	}
	near := replaytest.Host(t, mockStdio(t, &Server{Script: load(t, path), Nearest: true}), "2025-06-18")
	if _, err := near.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: replaytest.Args{Name: "z.md"}}); err != nil {
		t.Errorf("nearest: %v", err)
	}
	_ = s.Close()
	_ = near.Close()
}

// The mock of any recording, healthy or broken, gives its replay the answers
// that were recorded, over HTTP and over stdio.
func TestMocksOfTheClassics(t *testing.T) {
	for _, c := range classics.All() {
		if c.Name == "oauth" {
			continue // a login is not replayed: its tokens are masked
		}
		for _, fixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s fixed=%t", c.Name, fixed), func(t *testing.T) {
				for _, path := range classicstest.Record(t, c, fixed) {
					s := load(t, path)
					url := replaytest.URL(t, mockHTTPServer(t, &Server{Script: s}))
					if s.Header.Tap == "stdio" {
						url.Path = "/mcp"
					}
					for _, opt := range []run.Options{{Server: peer.Server{URL: url}}, {Server: peer.Server{Command: []string{os.Args[0], "mock", path}}}} {
						replayed(t, path, opt)
					}
				}
			})
		}
	}
}

// A page of another site, under its own name or under one rebound to this
// machine, does not reach what was recorded.
func TestMockAndPagesOfOthers(t *testing.T) {
	path := replaytest.OverStdio(t, replaytest.Serve(), "2025-06-18", func(s *mcp.ClientSession) { replaytest.Play(t, s, false) })
	url := mockHTTPServer(t, &Server{Script: load(t, path), AllowHosts: []string{"dev.internal"}})
	for _, tc := range []struct {
		host, origin string
		refused      bool
	}{
		{"", "", false},
		{"LOCALHOST.:7000", "http://Localhost:6274", false},
		{"dev.internal:1", "https://DEV.internal", false},
		{"evil.example", "", true},
		{"", "https://evil.example", true},
		{"", "null", true},
		{"localhost.evil.example", "", true},
	} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			req, err := http.NewRequest(method, url, strings.NewReader(""))
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tc.host
			if tc.origin != "" {
				req.Header.Set("Origin", tc.origin)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if refused := resp.StatusCode == http.StatusForbidden; refused != tc.refused {
				t.Errorf("%s as %q from %q: %s", method, tc.host, tc.origin, resp.Status)
			}
		}
	}
}

// A mock does not hand masks out in the place of credentials.
func TestMockHandsOutNoMasks(t *testing.T) {
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"login"}
		< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"`+masked+`"}}
		< {"jsonrpc":"2.0","id":1,"result":{"token":"`+masked+`"}}
		> {"jsonrpc":"2.0","id":2,"method":"echo"}
		< {"jsonrpc":"2.0","id":2,"result":{"a":1}}`)
	said := make(chan string, 10)
	url := mockHTTPServer(t, &Server{Script: load(t, path), Say: func(s string) { said <- s }})
	resp, err := http.Post(url+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"login"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(got, []byte("redacted:")) || !bytes.Contains(got, []byte("--keep-secrets")) || len(said) != 2 {
		t.Errorf("it sent %s, %v, said %d", got, err, len(said))
	}
}

// The results of a compressed event stream are served as those of any other.
func TestMockOfACompressedStream(t *testing.T) {
	path := replaytest.Tape(t, "http", `1.1 > POST /mcp || {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{}}}
		1.1 gzip < 200 text/event-stream || data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"half"}} | data: {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"forty-two"}]}}
		1.1 close server`)
	got := overStdio(t, &Server{Script: load(t, path)}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`)
	if len(got) != 1 || !strings.Contains(got[0], "forty-two") {
		t.Errorf("it sent %q", got)
	}
}

// What a server sends by itself belongs to the call before it, as often as it comes.
func TestMessagesFollowTheCallBeforeThem(t *testing.T) {
	const many = 500
	var text strings.Builder
	for i := range many {
		fmt.Fprintf(&text, "> {\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/list\"}\n< {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n", i, i)
		text.WriteString("< {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n")
	}
	all := partsOf(load(t, replaytest.Tape(t, "stdio", text.String())))
	for call := range int32(many) {
		if len(all.after[call]) != 1 {
			t.Fatalf("%d messages follow call %d", len(all.after[call]), call)
		}
	}
}

// overStdio plays a client on stdio: it sends requests one by one, and returns what comes until
// the last is answered. Questions are answered at once.
func overStdio(t *testing.T, m *Server, requests ...string) (got []string) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	go func() { outW.CloseWithError(m.Stdio(t.Context(), inR, outW)) }()
	lines := bufio.NewScanner(outR)
	for _, request := range requests {
		fmt.Fprintf(inW, "%s\n", request)
		for lines.Scan() {
			got = append(got, lines.Text())
			r, _ := wire.ScanMessage(lines.Bytes())
			if r.IsResponse() {
				break
			}
			if r.Kind == wire.MsgRequest {
				fmt.Fprintf(inW, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", r.ID)
			}
		}
	}
	inW.Close()
	return got
}

// TestQuestionsComeDuringTheCall: what a server sent between a request and its result comes
// between them, also where nothing on the wire says what it belongs to.
func TestQuestionsComeDuringTheCall(t *testing.T) {
	m := &Server{Script: load(t, replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"book"}}
		< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"first"}}
		< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"sure?"}}
		> {"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}
		< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
		< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))}
	got := strings.Join(overStdio(t, m, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"book"}}`), "\n")
	message, question, result := strings.Index(got, "first"), strings.Index(got, "sure?"), strings.Index(got, `"id":9`)
	if message < 0 || question < message || result < question {
		t.Errorf("it sent\n%s", got)
	}
}

// TestRequestsThatMeanTheSame: a request finds the recorded one that means the same, also where
// the recording masks a part of that; a refusal names what differs.
func TestRequestsThatMeanTheSame(t *testing.T) {
	m := &Server{Script: load(t, replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"`+masked+`","auth":"Bearer `+masked+`!"}}}
		< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}
		> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"user","arguments":{"id":7,"note":"caf\u00e9"}}}
		< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}
		> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"list"}}
		< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}`))}
	for _, c := range []struct{ params, says string }{
		{`{"name":"login","arguments":{"password":"hunter2","auth":"Bearer abc!"}}`, ""},
		{`{"name":"login","arguments":{"password":"hunter2","auth":"Basic abc!"}}`, "params.arguments.auth"},
		{`{"name":"login","arguments":{"password":5,"auth":"Bearer abc!"}}`, "params.arguments.password"},
		{`{"arguments":{"note":"café","id":7.0},"name":"user"}`, ""},
		{`{"arguments":{"note":"caf\u00E9","id":70e-1},"name":"user"}`, ""},
		{`{"name":"user","arguments":{"id":8,"note":"café"}}`, "params.arguments.id: 7 → 8"},
		{`{"name":"user","arguments":{"id":"7","note":"café"}}`, "params.arguments.id"},
		{`{"name":"list","arguments":{}}`, ""},
		{`{"name":"list","arguments":{"a":1}}`, "params.arguments"},
	} {
		got := overStdio(t, m, `{"jsonrpc":"2.0","id":"r\/1","method":"tools/call","params":`+c.params+`}`)
		r, _ := wire.ScanMessage([]byte(got[0]))
		if refused := r.Kind == wire.MsgError; refused != (c.says != "") || !strings.Contains(wire.Text(wire.Get(r.Error, "message")), c.says) {
			t.Errorf("%s: %s", c.params, got)
		}
	}
}
