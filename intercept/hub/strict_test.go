package hub_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// strict is a server that wants a session id with every request, also with the
// first.
type strict struct {
	issues string // the id that it issues; "" for none
	status int    // of its refusal

	mu  sync.Mutex // guards ids
	ids []string   // by method and id
}

func (s *strict) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m, _ := wire.ScanMessage(body)
	id := r.Header.Get(mcp.HeaderSessionID)
	s.mu.Lock()
	s.ids = append(s.ids, string(m.Method)+" "+id)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case id == "":
		w.WriteHeader(s.status)
		fmt.Fprint(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request: Missing Mcp-Session-Id header"}}`)
	case m.ID == nil:
		w.WriteHeader(http.StatusAccepted)
	case string(m.Method) == mcp.Initialize:
		if s.issues != "" {
			w.Header().Set(mcp.HeaderSessionID, s.issues)
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"strict","version":"1"}}}`, m.ID)
	default:
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[],"tools":[],"with":%q}}`, m.ID, id)
	}
}

// TestG1StrictBackend: a server that wants a session id with the handshake gets a
// temporary one (G2), and then its own; without one the temporary stays. The document shows
// the body of the refusal only: its status may be 400 or 200.
func TestG1StrictBackend(t *testing.T) {
	for i, issues := range []string{"issued-1", "", "issued-1", ""} {
		s := &strict{issues: issues, status: []int{400, 200}[i/2]}
		server := httptest.NewServer(s)
		defer server.Close()
		r := start(t, []string{remote("far", server.URL+"/mcp"), raw("near", "")}, nil)
		c := r.client("/mcp")
		c.initialize()
		got := get(c.call("far_x", "{}"), "result", "with")
		_, text := c.send("GET", "/session/"+c.header.Get(mcp.HeaderSessionID), "")
		if issues != "" {
			if got != `"issued-1"` {
				t.Errorf("called with %s", got)
			}
			want(t, string(text), "assigned by the server")
		} else {
			want(t, got, `"midwire-init-`)
			want(t, string(text), "made up by the hub")
		}
		want(t, c.call("near_give", "{}"), `"result"`) // G5: stdio is not affected
		s.mu.Lock()
		if s.ids[0] != "initialize " || s.ids[1][:24] != "initialize midwire-init-" {
			t.Errorf("%q", s.ids)
		}
		s.mu.Unlock()
		r.stop()
	}
}

// TestG4RoutedAndUnified: one server under two paths, all of them under /mcp; a
// client that is known by its credential alone is recognised.
func TestG4RoutedAndUnified(t *testing.T) {
	r := start(t, []string{raw("one", ""), raw("two", "")}, nil)
	for path, tool := range map[string]string{"/mcp": "two_give", "/mcp/two": "give", "/two/mcp": "give"} {
		for _, who := range []string{"Bearer alice", "Bearer bob"} {
			c := r.client(path)
			c.header.Set("Authorization", who)
			c.initialize()
		}
		ids := map[string]bool{}
		for _, who := range []string{"Bearer alice", "Bearer bob"} {
			c := r.client(path)
			c.header.Set("Authorization", who)
			where := tool[:len(tool)-4] + "where"
			ids[get(c.call(where, "{}"), "result", "pid")] = true
		}
		if len(ids) != 2 {
			t.Errorf("%s: %v", path, ids)
		}
	}
	c := r.client("/mcp/two")
	c.initialize()
	c.path = "/mcp/one" // the session of one route is none of another
	if resp, _ := c.send("POST", c.path, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != 404 {
		t.Errorf("%s", resp.Status)
	}
	c = r.client("/mcp")
	c.header.Set("Authorization", "Bearer carol")
	if resp, _ := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`); resp.StatusCode != 400 {
		t.Errorf("%s", resp.Status)
	}
}

// TestG5OwnIDs: the handshake and the calls of a session may have different ids,
// and those of two sessions are never the same.
func TestG5OwnIDs(t *testing.T) {
	s := &strict{status: 400}
	server := httptest.NewServer(s)
	defer server.Close()
	r := start(t, []string{remote("far", server.URL)}, nil)
	seen := map[string]bool{}
	for range 3 {
		c := r.client("/mcp")
		c.initialize()
		got := get(c.call("far_x", "{}"), "result", "with")
		if seen[got] || got == `"`+c.header.Get(mcp.HeaderSessionID)+`"` {
			t.Errorf("%s again", got)
		}
		seen[got] = true
	}
}
