package probe

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/replay"
	"midwire/session/record"
	"midwire/session/wire"
)

// server is an HTTP server of 2025-06-18 that refuses what refuses says.
type server struct {
	refuses func(r *http.Request, message map[string]any) (status int, body string) // 0 for not
	mu      sync.Mutex
	got     []string // methods
	ready   map[string]bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	m := replay.Object(raw)
	method, _ := m["method"].(string)
	s.mu.Lock()
	s.got = append(s.got, method)
	id := r.Header.Get("Mcp-Session-Id")
	if method == "notifications/initialized" {
		s.ready[id] = true
	}
	r.Header.Set("X-Ready", fmt.Sprint(s.ready[id]))
	n := len(s.got)
	s.mu.Unlock()
	if status, body := s.refuses(r, m); status > 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
		return
	}
	if r.Method == http.MethodDelete || m["id"] == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := `{}`
	if r.Header.Get("Mcp-Method") != "" {
		result = `{"resultType":"complete"}`
	}
	switch method {
	case "initialize":
		w.Header().Set("Mcp-Session-Id", fmt.Sprintf("session-%d", n))
		result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"dice","version":"1"}}`
	case "tools/list":
		if r.Header.Get("Mcp-Method") != "" {
			break
		}
		result = `{"tools":[{"name":"roll","inputSchema":{"type":"object","properties":{"sides":{"type":"integer"},"label":{"type":"string"}},` +
			`"required":["sides"],"additionalProperties":false},"annotations":{"readOnlyHint":true}},` +
			`{"name":"burn","inputSchema":{"type":"object"}}]}`
	case "tools/call":
		result = `{"content":[{"type":"text","text":"4"}]}`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, replay.Encode(m["id"]), result)
}

// exchange is one of a recording.
type exchange struct {
	fields, request string // fields with CRLF behind each
	status          int
	response        string
}

const good = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"

func begins() exchange {
	return exchange{
		good, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"desk","version":"2"}}}`,
		200, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"dice","version":"1"}}}`,
	}
}

const inSession = good + "Mcp-Session-Id: old\r\nMCP-Protocol-Version: 2025-06-18\r\n"

func ready() exchange {
	return exchange{inSession, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""}
}

// script records exchanges and loads them.
func script(t *testing.T, all ...exchange) *replay.Script {
	t.Helper()
	w, err := record.Create(t.TempDir(), record.Header{ID: "before", Started: time.Now(), Tap: "http"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range all {
		at := func(k wire.Kind, d wire.Dir, data string) {
			w.Append(&wire.Frame{Kind: k, Dir: d, Conn: 1, X: uint32(i + 1), Data: []byte(data)})
		}
		at(wire.KindRequest, '>', "POST /mcp HTTP/1.1\r\nHost: there\r\n"+e.fields+"\r\n")
		at(wire.KindBody, '>', e.request)
		id := ""
		if strings.Contains(e.request, `"initialize"`) {
			id = "Mcp-Session-Id: old\r\n"
		}
		at(wire.KindResponse, '<', fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%s\r\n", e.status, id))
		if e.response != "" {
			at(wire.KindBody, '<', e.response)
		}
		at(wire.KindClose, 0, `{"by":"server","clean":true}`)
	}
	w.Close()
	s, err := replay.Load(w.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// probed asks about the last call of a script.
func probed(t *testing.T, s *replay.Script, srv *server, opt Options) (*Result, error) {
	t.Helper()
	srv.ready = map[string]bool{}
	at := httptest.NewServer(srv)
	defer at.Close()
	opt.URL, _ = url.Parse(at.URL)
	dir := t.TempDir()
	opt.Record = func(h record.Header) *record.Writer {
		w, err := record.Create(dir, h, record.Options{})
		if err != nil {
			t.Error(err)
			return record.Discard()
		}
		return w
	}
	return Run(t.Context(), s, int32(len(s.Calls)-1), opt)
}

func rpcError(id, text string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":"` + text + `"}}`
}

const modern = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{` +
	`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"2"}}}}`

const lists = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`

func calls(arguments string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"roll","arguments":` + arguments + `}}`
}
