package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"midwire/intercept/hub"
	"midwire/intercept/hub/plan"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
)

// planned is what a session of a hub asks for that brings nothing of its own.
func planned(r *running) plan.Wish { return plan.Wish{Dir: r.Dir, Lookup: r.Lookup} }

// TestSharedInstances: requests without a session share an instance when all that
// makes one is the same, and only then. Its id is a name for nobody.
func TestSharedInstances(t *testing.T) {
	store := journal(t)
	r := start(t, []string{raw("one", `,"workingDirectory":"{workingDirectory}"`)}, func(h *hub.Hub) { h.Store = store })
	dirs := []string{t.TempDir(), t.TempDir()}
	params := `"arguments":{},`
	at := func(dir, authorization, capabilities string) string {
		c := r.modern("/mcp?workingDirectory=" + url.QueryEscape(dir))
		if authorization != "" {
			c.header.Set("Authorization", authorization)
		}
		meta := strings.Replace(envelope, `{"sampling":{}}`, capabilities, 1)
		got := c.request("1", mcp.ToolsCall, "one_where", params+fmt.Sprintf(`"_meta":{%s}`, meta))[0]
		if dir != "" && get(got, "result", "dir") != fmt.Sprintf("%q", dir) {
			t.Errorf("in %s: %s", dir, got)
		}
		return get(got, "result", "pid")
	}
	first := at(dirs[0], "", `{}`)
	if again := at(dirs[0], "", `{}`); again != first || first == "" {
		t.Errorf("the same request has another instance: %s, %s", first, again)
	}
	seen := map[string]string{first: "the first"}
	for what, pid := range map[string]string{
		"directory": at(dirs[1], "", `{}`), "credential": at(dirs[0], "Bearer x", `{}`), "capabilities": at(dirs[0], "", `{"sampling":{}}`),
		"no directory": at("", "", `{}`),
	} {
		if seen[pid] != "" || pid == "" {
			t.Errorf("another %s has the instance of %s", what, seen[pid])
		}
		seen[pid] = what
	}
	all, err := store.List(context.Background())
	if err != nil || len(all) != 5 {
		t.Fatalf("%d sessions, %v", len(all), err)
	}
	for _, e := range all {
		c := r.client("/mcp")
		for _, path := range []string{"/session/" + e.Key, "/mcp?session_id=" + e.Key, "/one/mcp?session_id=" + e.Key} {
			for _, method := range []string{"GET", "DELETE"} {
				if resp, text := c.send(method, path, ""); resp.StatusCode != http.StatusNotFound {
					t.Errorf("%s %s: %s %s", method, path, resp.Status, text)
				}
			}
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one_where","_meta":{"session_id":%q}}}`, e.Key)
		if resp, text := c.send("POST", "/mcp", body); resp.StatusCode != 400 {
			t.Errorf("by _meta: %s %s", resp.Status, text)
		}
		c.header.Set(mcp.HeaderSessionID, e.Key)
		if resp, text := c.send("POST", "/mcp", body); resp.StatusCode != http.StatusNotFound {
			t.Errorf("by header: %s %s", resp.Status, text)
		}
	}
}

// TestCredentialsNameADirectory: a session that is found by its credential is that of
// the directory which the request wants.
func TestCredentialsNameADirectory(t *testing.T) {
	r := start(t, []string{raw("one", `,"workingDirectory":"{workingDirectory}"`)}, nil)
	dir := t.TempDir()
	c := r.client("/mcp?workingDirectory=" + url.QueryEscape(dir))
	c.header.Set("Authorization", "Bearer x")
	c.initialize()
	c.header.Del(mcp.HeaderSessionID)
	for path, status := range map[string]int{c.path: 200, "/mcp": 200, "/mcp?workingDirectory=" + url.QueryEscape(t.TempDir()): 400} {
		resp, text := c.send("POST", path, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"one_where"}}`)
		if resp.StatusCode != status {
			t.Errorf("%s: %s %s", path, resp.Status, text)
		}
	}
}

// TestOneSharedInstance: who looks for a session while it is made finds that one, and
// does not make another of what the store has.
func TestOneSharedInstance(t *testing.T) {
	store := &slowStore{Store: journal(t)}
	r := start(t, []string{raw("one", "")}, func(h *hub.Hub) { h.Store = store })
	pids := make(chan string, 2)
	call := func() {
		pids <- get(r.modern("/mcp").request("1", mcp.ToolsCall, "one_where", `"arguments":{},`)[0], "result", "pid")
	}
	store.once = func() { // the session is in the store, and not yet known as one that runs
		go call()
		for range 50 {
			r.client("").send("GET", "/healthz", "")
		}
	}
	call()
	if one, two := <-pids, <-pids; one != two {
		t.Errorf("instances %s and %s", one, two)
	}
	if strings.Contains(r.log.String(), "session restored") {
		t.Error("a session was restored that has just begun")
	}
}

// slowStore does something once when a value was put.
type slowStore struct {
	registry.Store
	once func()
	done sync.Once
}

func (s *slowStore) Put(ctx context.Context, key string, value []byte, seen uint64) (uint64, error) {
	rev, err := s.Store.Put(ctx, key, value, seen)
	s.done.Do(s.once)
	return rev, err
}
