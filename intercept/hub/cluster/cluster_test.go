package cluster_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"midwire/intercept/hub/cluster"
	"midwire/intercept/hub/registry"
)

// town is hubs that share a store, and the list of them.
type town struct {
	t   *testing.T
	reg registry.Registry

	mu   sync.Mutex // guards urls
	urls map[string]string
}

func newTown(t *testing.T) *town {
	j, err := registry.OpenJournal(filepath.Join(t.TempDir(), "hub.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return &town{t: t, reg: registry.Registry{Store: j}, urls: map[string]string{}}
}

func (c *town) URL(name string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.urls[name]
}

func (c *town) Secret() string { return "shared" }

// hub is one of them: it answers with its name, the session and the body.
type hub struct {
	*httptest.Server
	name  string
	town  *town
	calls atomic.Int64
	hang  chan struct{} // closed when a request that says "hang" has come

	mu   sync.Mutex // guards here
	here map[string]bool
}

func (c *town) hub(name string) *hub {
	h := &hub{name: name, town: c, here: map[string]bool{}, hang: make(chan struct{})}
	front := &cluster.Front{
		Name: name, Registry: c.reg, Members: c, Log: slog.New(slog.DiscardHandler), Next: h, Transport: cluster.Transport(),
		Session: func(r *http.Request) string { return r.Header.Get("Mcp-Session-Id") },
		Here: func(id string) bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.here[id]
		},
	}
	h.Server = httptest.NewServer(front)
	c.t.Cleanup(h.Close)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.urls[name] = h.URL
	return h
}

// ServeHTTP is the hub behind the front: it restores what the store says is its.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get("Mcp-Session-Id")
	s, _, err := h.town.reg.Load(r.Context(), id)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if s.Hub != h.name || r.Header.Get("X-Midwire-Hub") != "" {
		h.town.t.Errorf("%s was given the session of %s, headers %v", h.name, s.Hub, r.Header)
	}
	h.mu.Lock()
	h.here[id] = true
	h.mu.Unlock()
	h.calls.Add(1)
	body, _ := io.ReadAll(r.Body)
	if strings.Contains(string(body), "hang") {
		close(h.hang)
		<-r.Context().Done()
		return
	}
	fmt.Fprintf(w, "%s %s %s", h.name, id, body)
}

// begin has a hub begin a session.
func (h *hub) begin(id string) {
	s := &registry.Session{ID: id, Hub: h.name, Params: []byte("{}")}
	if _, err := h.town.reg.Save(context.Background(), s, 0); err != nil {
		h.town.t.Fatal(err)
	}
}

// kill ends a hub as kill -9 does: nothing of it answers, and nobody is told.
func (h *hub) kill() {
	h.CloseClientConnections()
	h.Close()
}

func (h *hub) post(id, body string, header ...string) (int, string, http.Header) {
	req, _ := http.NewRequest(http.MethodPost, h.URL+"/mcp", strings.NewReader(body))
	req.Header.Set("Mcp-Session-Id", id)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error(), nil
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(bytes.TrimSpace(text)), resp.Header
}

// TestAnyHubWillDo: a request reaches the hub that has its session, whichever it
// was sent to. What no hub has is refused where it came.
func TestAnyHubWillDo(t *testing.T) {
	c := newTown(t)
	a, b := c.hub("a"), c.hub("b")
	a.begin("one")
	b.begin("two")
	for _, at := range []*hub{a, b} {
		for id, owner := range map[string]string{"one": "a", "two": "b"} {
			if status, text, _ := at.post(id, "hi"); status != 200 || text != owner+" "+id+" hi" {
				t.Errorf("%s at %s: %d %s", id, at.name, status, text)
			}
		}
		if status, _, _ := at.post("three", "hi"); status != http.StatusNotFound {
			t.Errorf("three: %d", status)
		}
	}
}

// TestTakenOver: when a hub is killed, each of its sessions goes on in one other,
// however many ask at once.
func TestTakenOver(t *testing.T) {
	c := newTown(t)
	a, b, d := c.hub("a"), c.hub("b"), c.hub("d")
	ids := []string{"s1", "s2", "s3", "s4"}
	for _, id := range ids {
		a.begin(id)
		if status, text, _ := b.post(id, "before"); status != 200 {
			t.Fatalf("%d %s", status, text)
		}
	}
	a.kill()
	var all sync.WaitGroup
	var mu sync.Mutex // guards homes
	homes := map[string]map[string]int{}
	for _, id := range ids {
		homes[id] = map[string]int{}
		for range 10 {
			for _, at := range []*hub{b, d} {
				all.Go(func() {
					status, text, _ := at.post(id, "after")
					if strings.Contains(text, "what was asked may have been done") {
						// It went out on a connection that the kill had ended already: a client
						// is told, and decides whether it asks again.
						status, text, _ = at.post(id, "after")
					}
					home, _, _ := strings.Cut(text, " ")
					if status != 200 {
						t.Errorf("%s: %d %s", id, status, text)
					}
					mu.Lock()
					defer mu.Unlock()
					homes[id][home]++
				})
			}
		}
	}
	all.Wait()
	for id, by := range homes {
		if len(by) != 1 || by["a"] > 0 {
			t.Errorf("%s is served by %v", id, by)
		}
	}
}

// TestNothingRunsTwice: a request that a hub had when it ended is not given to
// another one.
func TestNothingRunsTwice(t *testing.T) {
	c := newTown(t)
	a, b := c.hub("a"), c.hub("b")
	a.begin("one")
	go func() {
		<-a.hang
		a.CloseClientConnections()
	}()
	status, text, header := b.post("one", `{"jsonrpc":"2.0","id":7,"method":"hang"}`)
	if status != http.StatusBadGateway || header.Get("Retry-After") != "" || !strings.Contains(text, "may have been done") || !strings.Contains(text, `"id":7,`) {
		t.Errorf("%d %s %v", status, text, header)
	}
	if b.calls.Load() != 0 || a.calls.Load() != 1 {
		t.Errorf("a %d, b %d", a.calls.Load(), b.calls.Load())
	}
}

// TestPassedOnOnce: a hub that is given what is not its own says so, and does not
// pass it on again. A stranger who writes the header gets nothing by it.
func TestPassedOnOnce(t *testing.T) {
	c := newTown(t)
	a, b := c.hub("a"), c.hub("b")
	a.begin("one")
	if status, _, header := b.post("one", "x", "X-Midwire-Hub", "shared"); status != 421 || header.Get("X-Midwire-Hub") == "" {
		t.Errorf("%d %v", status, header)
	}
	if status, text, _ := b.post("one", "x", "X-Midwire-Hub", "guess"); status != 200 || text != "a one x" {
		t.Errorf("%d %s", status, text)
	}
	_ = a
}
