package hub_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"midwire/intercept/hub"
	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

// running is a hub under test.
type running struct {
	*hub.Hub
	t    *testing.T
	url  string
	dir  string // of recordings
	log  *log
	stop func() // ends the hub and waits
}

// raw is the configuration of a local server that is rawPeer.
func raw(name string, more string) string {
	self, _ := os.Executable()
	return fmt.Sprintf(`%q:{"command":%q,"env":{%q:"raw","NAME":%q,"KEY":"${KEY:-none}"}%s}`, name, self, peerVariable, name, more)
}

func remote(name, url string) string { return fmt.Sprintf(`%q:{"url":%q}`, name, url) }

// start starts a hub. change may change it before it runs.
func start(t *testing.T, servers []string, change func(*hub.Hub)) *running {
	t.Helper()
	config, err := plan.Parse([]byte(`{"servers":{` + strings.Join(servers, ",") + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, url: "http://" + ln.Addr().String(), dir: t.TempDir(), log: &log{}}
	r.Hub = &hub.Hub{
		Config: config, Listen: ln, Lookup: func(string) (string, bool) { return "", false },
		Environ: os.Environ(), Dir: t.TempDir(), Version: "test", OnTrouble: func(err error) { fmt.Fprintln(r.log, err) },
		Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Record: func(h record.Header) *record.Writer {
			h.Flow = "hub"
			w, err := record.Create(r.dir, h, record.Options{})
			if err != nil {
				t.Error(err)
				return record.Discard()
			}
			return w
		},
	}
	if change != nil {
		change(r.Hub)
	}
	if r.Store == nil {
		j, err := registry.OpenJournal(filepath.Join(t.TempDir(), "hub.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { j.Close() })
		r.Store = j
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan error, 1)
	go func() { over <- r.Run(ctx) }()
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-over:
			if err != nil {
				t.Errorf("run: %v", err)
			}
		case <-time.After(time.Minute):
			stacks := make([]byte, 1<<20)
			t.Errorf("the hub does not end\n%s", stacks[:runtime.Stack(stacks, true)])
		}
		if t.Failed() {
			t.Logf("log of the hub:\n%s", r.log)
		}
	}
	t.Cleanup(r.stop)
	return r
}

// client is a client that knows HTTP and nothing else.
type client struct {
	*running
	path   string
	header http.Header
}

func (r *running) client(path string) *client {
	return &client{running: r, path: path, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
	}}
}

// send posts a body and returns the response.
func (c *client) send(method, path, body string) (*http.Response, []byte) {
	c.t.Helper()
	req, err := http.NewRequest(method, c.url+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	req.Header = c.header.Clone()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, text
}

// messages are the messages of a response: events, or one body.
func messages(resp *http.Response, body []byte) (out []string) {
	if !wire.IsMediaType(resp.Header.Get("Content-Type"), "text/event-stream") {
		return []string{string(body)}
	}
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
			out = append(out, strings.TrimSpace(string(data)))
		}
	}
	return out
}

// post posts a message and returns all that comes back.
func (c *client) post(body string) []string {
	c.t.Helper()
	resp, text := c.send("POST", c.path, body)
	if resp.StatusCode/100 != 2 {
		c.t.Fatalf("%s: %s %s", body, resp.Status, text)
	}
	return messages(resp, text)
}

// ask posts a request and returns its response, the last that comes.
func (c *client) ask(method, params string) string {
	c.t.Helper()
	all := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params))
	return all[len(all)-1]
}

// call calls a tool.
func (c *client) call(tool, arguments string) string {
	c.t.Helper()
	return c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// initialize shakes hands.
func (c *client) initialize() string {
	c.t.Helper()
	resp, text := c.send("POST", c.path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"sampling":{},"roots":{}},"clientInfo":{"name":"test","version":"1"}}}`)
	id := resp.Header.Get(mcp.HeaderSessionID)
	if resp.StatusCode != 200 || id == "" {
		c.t.Fatalf("initialize: %s %q %s", resp.Status, id, text)
	}
	c.header.Set(mcp.HeaderSessionID, id)
	c.header.Set(mcp.HeaderVersion, "2025-06-18")
	c.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	all := messages(resp, text)
	return all[len(all)-1]
}

// init begins a session with POST /session/init.
func (c *client) init(body string) map[string]any {
	c.t.Helper()
	resp, text := c.send("POST", "/session/init", body)
	if resp.StatusCode != 200 {
		c.t.Fatalf("init: %s %s", resp.Status, text)
	}
	got := map[string]any{}
	if err := json.Unmarshal(text, &got); err != nil {
		c.t.Fatal(err)
	}
	c.header.Set(mcp.HeaderSessionID, got["sessionId"].(string))
	return got
}

func want(t *testing.T, got string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(got, p) {
			t.Errorf("%s\nlacks %s", got, p)
		}
	}
}

func get(text string, path ...string) string { return string(wire.Get([]byte(text), path...)) }

// journal is a store that several hubs of a test can have.
func journal(t *testing.T) registry.Store {
	t.Helper()
	j, err := registry.OpenJournal(filepath.Join(t.TempDir(), "hub.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}
