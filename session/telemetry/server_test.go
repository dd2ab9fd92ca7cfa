package telemetry

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"midwire/fixtures/effort"
	"midwire/session/record"
	"midwire/session/wire"
)

func TestMain(m *testing.M) {
	effort.Wait()
	m.Run()
}

// collector is a small one, as strict as the conventions: what it gets must be OTLP/JSON.
type collector struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex // guards the rest
	spans   []span
	bodies  []string
	heads   []http.Header
	answers []func(http.ResponseWriter) // of the next requests; then 200
	came    chan struct{}
}

type attribute struct {
	Key   string
	Value struct{ StringValue, IntValue string }
}

type span struct {
	TraceID, SpanID, ParentSpanID, Name string
	Kind                                int
	StartTimeUnixNano, EndTimeUnixNano  string
	Attributes                          []attribute
	Events                              []struct{ Name string }
	Links                               []struct{ TraceID, SpanID string }
	Status                              struct {
		Code    int
		Message string
	}
}

func (s *span) attribute(key string) string {
	for _, a := range s.Attributes {
		if a.Key == key {
			return a.Value.StringValue + a.Value.IntValue
		}
	}
	return ""
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, came: make(chan struct{}, 1000)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() { c.came <- struct{}{} }()
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			c.t.Error(err)
			return
		}
		body = z
	}
	raw, _ := io.ReadAll(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heads = append(c.heads, r.Header)
	if len(c.answers) > 0 {
		answer := c.answers[0]
		c.answers = c.answers[1:]
		if answer != nil {
			answer(w)
			return
		}
	}
	var data struct {
		ResourceSpans []struct {
			Resource   struct{ Attributes []attribute }
			ScopeSpans []struct {
				SchemaURL string
				Scope     struct{ Name, Version string }
				Spans     []span
			}
		}
	}
	if err := json.Unmarshal(raw, &data); err != nil {
		c.t.Errorf("%v: %.200s", err, raw)
	}
	c.bodies = append(c.bodies, string(raw))
	for _, r := range data.ResourceSpans {
		for _, s := range r.ScopeSpans {
			c.spans = append(c.spans, s.Spans...)
		}
	}
}

// will answer the next requests so; nil is as usual.
func (c *collector) will(answers ...func(http.ResponseWriter)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers = append(c.answers, answers...)
}

func status(code int, fields ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i+1 < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(code)
	}
}

// got returns the spans so far, each of them once.
func (c *collector) got() map[string]span {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]span{}
	for _, s := range c.spans {
		if _, twice := all[s.SpanID]; twice {
			c.t.Errorf("span %s %q was sent twice", s.SpanID, s.Name)
		}
		all[s.SpanID] = s
	}
	return all
}

// names counts the spans so far by name.
func (c *collector) names() map[string]int {
	all := map[string]int{}
	for _, s := range c.got() {
		all[s.Name]++
	}
	return all
}

func (c *collector) endpoint() *Endpoint {
	e, err := Parse(c.URL, func(string) string { return "" })
	if err != nil {
		c.t.Fatal(err)
	}
	return e
}

// proxied is a recording that grows.
type proxied struct {
	*record.Writer
	t  *testing.T
	at int64
}

func newProxied(t *testing.T, dir string, h record.Header) *proxied {
	if h.Started.IsZero() {
		h.Started = time.Unix(1_795_256_100, 0)
	}
	h.Tap = "stdio"
	w, err := record.Create(dir, h, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &proxied{Writer: w, t: t}
}

// line records a line to the server, '>', or from it, '<', ten milliseconds later.
func (p *proxied) line(d wire.Dir, text string) {
	p.at += int64(10 * time.Millisecond)
	p.Append(&wire.Frame{T: p.at, Kind: wire.KindLine, Dir: d, X: 1, EOL: "\n", Data: []byte(text), Len: len(text)})
	p.Flush()
}

func (p *proxied) handshake() {
	p.line('>', `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"1"}}}`)
	p.line('<', `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"notes","version":"2"}}}`)
	p.line('>', `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (p *proxied) call(id, tool string) {
	p.line('>', `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"`+tool+`"}}`)
	p.line('<', `{"jsonrpc":"2.0","id":`+id+`,"result":{"content":[]}}`)
}

func private(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "recordings")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
