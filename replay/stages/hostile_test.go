//go:build unix

package stages

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/replay/checks"
	"midwire/replay/peer"
	"midwire/session/record"
)

// verdicts are those of a report, by stage and name.
func verdicts(r *checks.Report) map[string]checks.Verdict {
	all := map[string]checks.Verdict{}
	for _, c := range r.Checks {
		all[c.Stage+" "+c.Name] = c.Verdict
	}
	return all
}

// TestHostile: a server that hangs, dies or floods ends the test in time, with what is
// known.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"hangs": "exec sleep 1000", "dies": "read line; echo '{'; exit 1", "floods": "exec yes '{\"jsonrpc\":\"2.0\",\"method\":\"x\"}'",
		"binary": "exec head -c 5000000 /dev/zero",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opt := Options{Server: peer.Server{Command: []string{"sh", "-c", script}, Record: replaytest.Library(t)}, Timeout: 200 * time.Millisecond}
			r, err := Run(context.Background(), opt)
			if err != nil || r.Count(checks.Failed) == 0 || verdicts(r)["handshake initialize"] != checks.Failed {
				t.Errorf("%v\n%s", err, r.Text())
			}
		})
	}
}

// TestInterrupted: what was tried until somebody ends the test is there, and no process.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	seen := func(c *checks.Check) {
		if c.Stage == "messages" {
			cancel()
		}
	}
	r, err := Run(ctx, Options{Server: peer.Server{Command: replaytest.Serve(), Record: replaytest.Library(t)}, Seen: seen})
	if !errors.Is(err, context.Canceled) || r.Count(checks.Passed) == 0 || len(r.Recordings) == 0 {
		t.Errorf("%v\n%s", err, r.Text())
	}
	look := exec.Command("pgrep", "-P", strconv.Itoa(os.Getpid()))
	if out, err := look.Output(); err == nil && strings.TrimSpace(string(out)) != strconv.Itoa(look.Process.Pid) {
		t.Errorf("left behind: %s", out)
	}
}

// TestSecrets: a credential of the user is neither printed nor recorded, also where the
// server repeats it.
func TestSecrets(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-0123456789"
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, "not "+r.Header.Get("Authorization"))
	}))
	defer s.Close()
	u, _ := url.Parse(s.URL)
	r, err := Run(context.Background(), Options{
		Server: peer.Server{URL: u, Record: replaytest.Library(t), Header: http.Header{"authorization": {"Bearer " + secret}}},
	})
	if err != nil || r.Count(checks.Failed) != 1 {
		t.Errorf("%v\n%s", err, r.Text())
	}
	for _, format := range checks.Formats {
		var b strings.Builder
		if err := r.Write(&b, format, ""); err != nil || strings.Contains(b.String(), secret) {
			t.Errorf("%s: %v\n%s", format, err, b.String())
		}
	}
}

// TestModern: a server of 2026-07-28 that keeps to it passes; one that does not look at
// headers and versions fails.
func TestModern(t *testing.T) {
	t.Parallel()
	docs := mcp.NewServer(&mcp.Implementation{Name: "modern", Version: "1"}, nil)
	mcp.AddTool(docs, &mcp.Tool{Name: "read", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest, struct {
			Name string `json:"name"`
		},
		) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil, nil
		})
	good := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return docs }, &mcp.StreamableHTTPOptions{Stateless: true})
	all := modern(t, good)
	for _, want := range []string{
		"discover (2026) server/discover", "discover (2026) an unknown version", "headers (2026) no Mcp-Method", "headers (2026) another Mcp-Name", "calls (2026) read",
	} {
		if all[want] != checks.Passed {
			t.Errorf("%s: %s", want, all[want])
		}
	}
	for name, v := range all {
		if v == checks.Failed {
			t.Errorf("%s failed", name)
		}
	}
	lax := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := `"x"`
		if _, rest, ok := strings.Cut(string(body), `"id":`); ok {
			id, _, _ = strings.Cut(rest, ",")
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"public"}}`, id)
	})
	// It responds to initialize as well, with a result that is none.
	all = modern(t, lax)
	for _, want := range []string{"headers (2026) no Mcp-Method", "headers (2026) another version in the header", "discover (2026) an unknown version"} {
		if all[want] != checks.Failed {
			t.Errorf("%s: %q", want, all[want])
		}
	}
}

// modern tests a server over HTTP.
func modern(t *testing.T, h http.Handler) map[string]checks.Verdict {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	u, _ := url.Parse(s.URL + "/mcp")
	r, err := Run(context.Background(), Options{Server: peer.Server{URL: u, Record: replaytest.Library(t)}})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts(r)
}

// TestNoServer: what answers, and is no MCP server, fails; nothing that was asked passes
// without a JSON-RPC response that has its id.
func TestNoServer(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a page": "<!doctype html><html><body>Welcome</body></html>", "an API": `{"id":1,"result":{"items":[]},"status":"ok"}`,
		"null": "null", "nothing": "", "another id": `{"jsonrpc":"2.0","id":99,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}`,
		"an endless body": "endless",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, body)
				if body == "endless" {
					w.(http.Flusher).Flush()
					<-r.Context().Done()
				}
			}))
			defer s.Close()
			u, _ := url.Parse(s.URL + "/mcp")
			opt := Options{Server: peer.Server{URL: u, Record: replaytest.Library(t)}, Timeout: time.Minute}
			if body == "endless" {
				opt.Timeout = 300 * time.Millisecond
			}
			r, err := Run(context.Background(), opt)
			if err != nil || verdicts(r)["handshake initialize"] != checks.Failed || r.Count(checks.Failed) == 0 {
				t.Errorf("%v\n%s", err, r.Text())
			}
		})
	}
}

// lists plays a server whose tools/list result is given.
func lists(t *testing.T, tools string) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.Unmarshal(raw, &m)
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + tools + `]}`
		case "tools/call":
			result = `{"content":[]}`
		}
		if m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestLongSchemas: a schema that takes long to walk, and a list of very many tools, end in
// their time.
func TestLongSchemas(t *testing.T) {
	t.Parallel()
	names := strings.TrimSuffix(strings.Repeat(`"a",`, 60), ",")
	often := strings.Repeat(`{"type":"object","required":[`+names+`],"properties":{"a":`, 40) + `{}` + strings.Repeat(`}}`, 40)
	forms := `{"type":"object","properties":{"a":` + strings.Repeat(`{"anyOf":[`, 5000) + `{}` + strings.Repeat(`]}`, 5000) + `}}`
	var many strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&many, `{"name":"t%d","inputSchema":{"type":"object","properties":{}}},`, i)
	}
	var tools strings.Builder
	tools.WriteString(many.String())
	for i, schema := range []string{often, forms} {
		tools.WriteString(fmt.Sprintf(`{"name":"long%d","inputSchema":%s,"annotations":{"readOnlyHint":true}},`, i, schema))
	}
	u, _ := url.Parse(lists(t, strings.TrimSuffix(tools.String(), ",")).URL + "/mcp")
	r, err := Run(context.Background(), Options{Server: peer.Server{URL: u, Record: replaytest.Library(t)}})
	if err != nil || verdicts(r)["calls long0"] != checks.Passed || verdicts(r)["calls long1"] != checks.Passed {
		t.Errorf("%v\n%s", err, r.Text())
	}
}

// TestTimeIsOver: a test that takes too long ends, and says that not all was tried.
func TestTimeIsOver(t *testing.T) {
	t.Parallel()
	u, _ := url.Parse(lists(t, "").URL + "/mcp")
	r, err := Run(context.Background(), Options{
		Server: peer.Server{URL: u, Record: replaytest.Library(t)}, Idle: time.Hour, Limit: 2 * time.Second,
	})
	if err != nil || verdicts(r)["limits time"] != checks.Failed {
		t.Errorf("%v\n%s", err, r.Text())
	}
}

// TestFlood: a server that never stops writing is left after so many bytes, and not started
// again: its recordings stay within them.
func TestFlood(t *testing.T) {
	t.Parallel()
	var files []string
	open := replaytest.Library(t)
	record := func(h record.Header) *record.Writer {
		w := open(h)
		files = append(files, w.Path())
		return w
	}
	r, err := Run(context.Background(), Options{Server: peer.Server{Command: []string{"sh", "-c", "exec yes '{}'"}, Record: record}})
	if err != nil || verdicts(r)["limits output"] != checks.Failed && verdicts(r)["handshake initialize"] != checks.Failed {
		t.Errorf("%v\n%s", err, r.Text())
	}
	total := int64(0)
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	if total > 1<<30 {
		t.Errorf("%d MiB in %d recordings", total>>20, len(files))
	}
}
