package hub_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"midwire/session/mcp"
	"midwire/session/wire"
)

// TestInputUnderANewID: a call that a server of 2026-07-28 answers with input_required is made
// again under an id of its own, and the client gets its result under the id that it knows.
func TestInputUnderANewID(t *testing.T) {
	var mu sync.Mutex
	var ids []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m, _ := wire.ScanMessage(body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case string(m.Method) == mcp.Discover:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}}`, m.ID)
		case string(m.Method) != mcp.ToolsCall:
			w.WriteHeader(http.StatusBadRequest)
		default:
			mu.Lock()
			ids = append(ids, string(m.ID))
			round := len(ids)
			mu.Unlock()
			if round < 3 {
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"}},"requestState":"s"}}`, m.ID)
				return
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","content":[],"got":%s}}`, m.ID, wire.Get(m.Params, "inputResponses"))
		}
	}))
	defer server.Close()
	r := start(t, []string{remote("new", server.URL)}, nil)
	c := r.client("/mcp")
	c.initialize()
	asked := c.listen(t.Context())
	c.header.Set("Accept", "application/json") // what is asked comes on the other stream
	done := make(chan string, 1)
	go func() {
		done <- c.post(`{"jsonrpc":"2.0","id":"mine","method":"tools/call","params":{"name":"new_ask","arguments":{}}}`)[0]
	}()
	for range 2 {
		q := <-asked
		c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"roots":[]}}`, get(q, "id")))
	}
	want(t, <-done, `"id":"mine"`, `"got":{"a":{"roots":[]}}`)
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("ids %q", ids)
	}
}
