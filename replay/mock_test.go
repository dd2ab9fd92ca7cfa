package replay

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/classics"
	"midwire/fixtures/classics/classicstest"
)

// mockStdio serves a recording on pipes.
func mockStdio(t *testing.T, m *Mock) mcp.Transport {
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
func mockHTTPServer(t *testing.T, m *Mock) string {
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
	for name, path := range recordings(t) {
		_, rev, _ := strings.Cut(name, " ")
		ask := rev != "2026-07-28"
		asked := rev
		if !ask {
			asked = ""
		}
		t.Run(name, func(t *testing.T) {
			m := &Mock{Script: load(t, path), Say: func(text string) { t.Errorf("unmatched: %s", text) }}
			play(t, host(t, mockStdio(t, m), asked), ask)
			url := mockHTTPServer(t, m)
			play(t, host(t, &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: !ask}, asked), ask)
			if ask {
				play(t, host(t, &mcp.SSEClientTransport{Endpoint: url + "/sse"}, asked), true)
			}
		})
	}
}

// A replay against the mock of a recording finds nothing different.
func TestMockAnswersAsRecorded(t *testing.T) {
	for name, path := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			s := load(t, path)
			url := mockHTTPServer(t, &Mock{Script: s})
			opt := Options{URL: parse(t, url)}
			if s.Header.Tap == "stdio" {
				opt.URL.Path = "/mcp"
			}
			r := replayed(t, path, opt)
			if r.Differs() {
				allSame(t, r, len(s.Calls))
			}
		})
	}
}

// Two clients at once each get the recording from its beginning.
func TestMockClientsHavePositionsOfTheirOwn(t *testing.T) {
	path := overStdio(t, serve(), "2025-06-18", func(s *mcp.ClientSession) { play(t, s, true) })
	url := mockHTTPServer(t, &Mock{Script: load(t, path)})
	var wg sync.WaitGroup
	for range 4 {
		s := host(t, &mcp.StreamableClientTransport{Endpoint: url}, "2025-06-18")
		wg.Go(func() { play(t, s, true) })
	}
	wg.Wait()
}

func TestMockRefusesWhatNobodyRecorded(t *testing.T) {
	path := overStdio(t, serve(), "2025-06-18", func(s *mcp.ClientSession) { play(t, s, false) })
	m := &Mock{Script: load(t, path)}
	s := host(t, mockStdio(t, m), "2025-06-18")
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: docArgs{Name: "z.md"}})
	for _, want := range []string{"nearest is #", "params.arguments.name", `"a.md"`, `"z.md"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error does not say %q: %v", want, err)
		}
	}
	if _, err := s.ListResources(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "nobody recorded resources/list") {
		t.Errorf("unknown method: %v", err)
	}
	near := host(t, mockStdio(t, &Mock{Script: load(t, path), Nearest: true}), "2025-06-18")
	if _, err := near.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Arguments: docArgs{Name: "z.md"}}); err != nil {
		t.Errorf("nearest: %v", err)
	}
	_ = s.Close()
	_ = near.Close()
}

// The mock of any recording, healthy or broken, gives its replay the answers
// that were recorded, over HTTP and over stdio.
func TestMocksOfTheClassics(t *testing.T) {
	for _, c := range classics.All() {
		for _, fixed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s fixed=%t", c.Name, fixed), func(t *testing.T) {
				for _, path := range classicstest.Record(t, c, fixed) {
					s := load(t, path)
					url := parse(t, mockHTTPServer(t, &Mock{Script: s}))
					if s.Header.Tap == "stdio" {
						url.Path = "/mcp"
					}
					for _, opt := range []Options{{URL: url}, {Command: []string{os.Args[0], "mock", path}}} {
						if r := replayed(t, path, opt); r.Differs() {
							t.Logf("%s %s, %v", s.Header.Tap, s.Header.Label, opt.Command)
							allSame(t, r, len(s.Calls))
						}
					}
				}
			})
		}
	}
}

// A page of another site, under its own name or under one rebound to this
// machine, does not reach what was recorded.
func TestMockAndPagesOfOthers(t *testing.T) {
	path := overStdio(t, serve(), "2025-06-18", func(s *mcp.ClientSession) { play(t, s, false) })
	url := mockHTTPServer(t, &Mock{Script: load(t, path), AllowHosts: []string{"dev.internal"}})
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
