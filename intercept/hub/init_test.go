package hub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/intercept/hub"
	"midwire/intercept/hub/registry"
	"midwire/session/mcp"
)

// TestH1SessionInit: what a session is asked for, and what it answers (H2): local
// servers run and remote ones have shaken hands before that (H3).
func TestH1SessionInit(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	url := sdkHTTP(t, "far", func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Method)
	})
	dir := t.TempDir()
	r := start(t, []string{
		raw("filesystem", `,"executionContext":"local","workingDirectory":"{workingDirectory}","allowedDirectories":["{workingDirectory}"]`),
		remote("far", url), `"brave-search":{"url":"http://127.0.0.1:1","headers":{"X":"${BRAVE_API_KEY}"}}`,
	}, nil)
	c := r.client("/mcp")
	got := c.init(fmt.Sprintf(`{"clientInfo":{"name":"claude-code","version":"1.0.0"},"workingDirectory":%q,
		"capabilities":{"filesystem":true,"experimental":["x"]},"preferences":{"executionContext":{"filesystem":"local","far":"remote"}}}`, dir))
	text, _ := json.Marshal(got)
	all := string(text)
	if get(all, "protocolVersion") != `"2025-11-25"` || get(all, "capabilities", "tools") != "{}" ||
		get(all, "capabilities", "session", "local_execution") != "true" || get(all, "capabilities", "session", "remote_execution") != "true" {
		t.Error(all)
	}
	fs := get(all, "servers", "filesystem")
	want(t, fs, `"executionContext":"local"`, fmt.Sprintf(`"workingDirectory":%q`, dir), fmt.Sprintf(`"allowedDirectories":[%q]`, dir), `"enabled":true`)
	want(t, get(all, "servers", "far"), `"executionContext":"remote"`, `"endpoint":"`+url)
	want(t, get(all, "servers", "brave-search"), `"enabled":false`, `"reason":"Missing BRAVE_API_KEY"`)
	want(t, get(all, "tools"), `{"executionContext":"local","name":"filesystem_give","server":"filesystem"}`, `"far_echo"`)
	mu.Lock()
	if len(seen) < 2 {
		t.Errorf("the remote server saw %q before the response", seen)
	}
	mu.Unlock()
	// H4: the session is used with its id, and both kinds of servers answer.
	hello := c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"claude-code","version":"1"}}`)
	want(t, hello, `"protocolVersion":"2025-06-18"`)
	where := c.call("filesystem_where", "{}")
	want(t, where, fmt.Sprintf(`"dir":%q`, resolve(t, dir)))
	want(t, c.call("far_echo", `{"k":1}`), "far ")
	want(t, c.call("brave-search_x", `{}`), "Missing BRAVE_API_KEY", `"server":"brave-search"`)
	for bad, says := range map[string]string{
		`{`: "", `{"workingDirectory":"relative"}`: "workingDirectory", `[]`: "the body is of type array", `null`: "the body",
		`{"workingDirectory":5}`:                               "workingDirectory is of type number. Send it as string",
		`{"clientInfo":{"name":[]}}`:                           "clientInfo.name is of type array",
		`{"clientInfo":"me"}`:                                  "clientInfo is of type string. Send it as object",
		`{"capabilities":["x"]}`:                               "capabilities is of type array",
		`{"credentials":{"KEY":7}}`:                            "credentials.KEY is of type number",
		`{"preferences":{"executionContext":{"memory":true}}}`: "preferences.executionContext.memory is of type boolean",
	} {
		resp, text := c.send("POST", "/session/init", bad)
		if resp.StatusCode != 400 {
			t.Errorf("%s: %s", bad, resp.Status)
		}
		want(t, string(text), says)
	}
	want(t, c.ask("initialize", `{"protocolVersion":"2025-06-18"}`), "initialized already")
}

func resolve(t *testing.T, dir string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// TestH5Delete: DELETE ends the local servers and forgets the session, by each of
// its paths.
func TestH5Delete(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	for _, how := range [][2]string{{"DELETE", "/session/%s"}, {"DELETE", "/mcp"}, {"POST", "/session/%s/destroy"}, {"DELETE", "/session/%s/destroy"}} {
		c := r.client("/mcp")
		c.init(`{}`)
		pid := pidOf(t, c.call("one_where", "{}"))
		path := how[1]
		if strings.Contains(path, "%s") {
			path = fmt.Sprintf(path, c.header.Get(mcp.HeaderSessionID))
		}
		if resp, text := c.send(how[0], path, ""); resp.StatusCode/100 != 2 {
			t.Errorf("%v: %s %s", how, resp.Status, text)
		}
		if alive(pid) {
			t.Errorf("%v: process %d is left over", how, pid)
		}
		resp, text := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":5,"method":"tools/list"}`)
		if resp.StatusCode != 404 {
			t.Errorf("%v: later %s", how, resp.Status)
		}
		want(t, string(text), "Session not found: its client ended it.", "-32001", `"id":5`)
		_, text = c.send("GET", "/session/"+c.header.Get(mcp.HeaderSessionID), "")
		want(t, string(text), "its client ended it")
	}
}

func pidOf(t *testing.T, text string) (pid int) {
	t.Helper()
	if _, err := fmt.Sscan(get(text, "result", "pid"), &pid); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return pid
}

// TestH6Isolation: two sessions have instances, directories, keys and answers of
// their own, whatever they do at once.
func TestH6Isolation(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "hub.jsonl")
	store, err := registry.OpenJournal(journal)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	r := start(t, []string{raw("one", `,"executionContext":"local","workingDirectory":"{workingDirectory}"`)}, func(h *hub.Hub) { h.Store = store })
	var all sync.WaitGroup
	pids := make(chan int, 2)
	for _, mark := range []string{"a", "b"} {
		dir := filepath.Join(resolve(t, t.TempDir()), "project-"+mark)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			c := r.client("/mcp")
			c.init(fmt.Sprintf(`{"workingDirectory":%q,"credentials":{"KEY":"key-%s"}}`, dir, mark))
			where := c.call("one_where", "{}")
			want(t, where, fmt.Sprintf("%q", dir), `"key":"key-`+mark+`"`)
			pids <- pidOf(t, where)
			var calls sync.WaitGroup
			for worker := range 4 {
				calls.Go(func() {
					for i := range 125 {
						id := fmt.Sprint(worker*1000 + i) // the same in both sessions
						value := fmt.Sprintf("%s-%d-%d", mark, worker, i)
						got := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"one_give","arguments":{"v":%q}}}`, id, value))
						if len(got) != 1 || get(got[0], "id") != id || get(got[0], "result", "given", "arguments", "v") != fmt.Sprintf("%q", value) {
							t.Errorf("%s: %q", value, got)
						}
					}
				})
			}
			calls.Wait()
		})
	}
	all.Wait()
	if one := <-pids; one == <-pids {
		t.Error("the sessions share a process")
	}
	r.stop()
	kept, err := os.ReadFile(journal)
	if err != nil || !bytes.Contains(kept, []byte("project-a")) || bytes.Contains(kept, []byte("key-a")) {
		t.Errorf("of the sessions is kept, with %v: %s", err, kept)
	}
}

// recordings are the texts of all recordings, by path.
func (r *running) recordings() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	files, err := filepath.Glob(filepath.Join(r.dir, "*"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(f); err == nil {
			all[f] = string(text)
		}
	}
	return all
}

// TestH12EveryRequestIsChecked: an unknown session is 404 for every method, so that
// clients begin anew; no session is 400.
func TestH12EveryRequestIsChecked(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	for _, m := range []string{"GET", "DELETE", "POST"} {
		c.header.Del(mcp.HeaderSessionID)
		if resp, _ := c.send(m, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); resp.StatusCode != 400 {
			t.Errorf("%s without: %s", m, resp.Status)
		}
		c.header.Set(mcp.HeaderSessionID, "unknown")
		if resp, _ := c.send(m, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); resp.StatusCode != 404 {
			t.Errorf("%s unknown: %s", m, resp.Status)
		}
	}
	if resp, _ := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`); resp.StatusCode != 404 {
		t.Errorf("initialize: %s", resp.Status)
	}
	if resp, _ := c.send("GET", "/session/unknown", ""); resp.StatusCode != 404 {
		t.Errorf("state: %s", resp.Status)
	}
	for body, status := range map[string]int{`nonsense`: 400, `[]`: 400} {
		if resp, _ := c.send("POST", "/mcp", body); resp.StatusCode != status {
			t.Errorf("%s: %s", body, resp.Status)
		}
	}
	c.header.Set("Origin", "http://evil.example")
	if resp, _ := c.send("POST", "/mcp", `{}`); resp.StatusCode != 403 {
		t.Errorf("a page of another site: %s", resp.Status)
	}
	c.header.Del("Origin")
	c.header.Del(mcp.HeaderSessionID)
	c.initialize()
}

// TestH13State: what is known of a session, without the values of its variables.
func TestH13State(t *testing.T) {
	r := start(t, []string{raw("one", ""), remote("two", sdkHTTP(t, "two", nil))}, nil)
	c := r.client("/mcp")
	dir := t.TempDir()
	c.init(fmt.Sprintf(`{"clientInfo":{"name":"me","version":"3"},"workingDirectory":%q,"credentials":{"KEY":"very-secret"}}`, dir))
	_, text := c.send("GET", "/session/"+c.header.Get(mcp.HeaderSessionID), "")
	got := string(text)
	want(t, got, `"name":"me"`, fmt.Sprintf(`"workingDirectory":%q`, dir), `"created":"20`, `"lastAccessed":"20`, `"restored":false`)
	want(t, get(got, "servers", "one"), `"command"`, `"KEY":"(set)"`, `"running":true`, `"executionContext":"local"`, `"enabled":true`)
	want(t, get(got, "servers", "two"), `"sessionId":"`, "assigned by the server")
	if strings.Contains(got, "very-secret") || strings.Contains(r.log.String(), "very-secret") {
		t.Error("a key is shown")
	}
	r.stop()
	for path, text := range r.recordings() {
		if strings.Contains(text, "very-secret") {
			t.Errorf("%s has the key", path)
		}
	}
}

// TestH14Degrades: a server that cannot be started, one that dies and one that is
// not there leave the others alone, and errors name them.
func TestH14Degrades(t *testing.T) {
	r := start(t, []string{
		raw("one", ""), raw("mortal", ""), `"none":{"command":"/no/such/program"}`, `"far":{"url":"http://127.0.0.1:1/mcp"}`,
	}, nil)
	c := r.client("/mcp")
	c.initialize()
	got := c.ask("tools/list", "{}")
	want(t, got, `"one_give"`, `"mortal_give"`, `"midwire/unavailable":{"far":`, `"none":`)
	want(t, c.call("none_x", "{}"), `"server":"none"`, "-32603")
	want(t, c.call("far_x", "{}"), `"server":"far"`)
	want(t, c.call("mortal_die", "{}"), `"server":"mortal"`, "exit code 7")
	want(t, c.call("mortal_give", "{}"), `"server":"mortal"`, "exit code 7")
	want(t, c.call("one_give", `{"still":true}`), `"still":true`)
	_, health := c.send("GET", "/healthz", "")
	want(t, string(health), `"failed":3`, `"running":1`)
}

// TestH15SurvivesRestart: sessions go on with another process of the hub: local
// servers are begun again at their first use, which their recording says; a remote
// session goes on as it is.
func TestH15SurvivesRestart(t *testing.T) {
	var mu sync.Mutex
	begun := 0
	url := sdkHTTP(t, "far", func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Method == "POST" && r.Header.Get(mcp.HeaderSessionID) == "" {
			begun++
		}
	})
	servers := []string{raw("one", `,"executionContext":"local","workingDirectory":"{workingDirectory}"`), remote("far", url)}
	store := journal(t)
	first := start(t, servers, func(h *hub.Hub) { h.Store = store })
	c := first.client("/mcp")
	dir := resolve(t, t.TempDir())
	c.init(fmt.Sprintf(`{"workingDirectory":%q,"credentials":{"KEY":"mine"}}`, dir))
	c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`)
	routed := first.client("/one/mcp")
	routed.initialize()
	old := pidOf(t, c.call("one_where", "{}"))
	first.stop()
	if alive(old) {
		t.Errorf("process %d is left over", old)
	}
	second := start(t, servers, func(h *hub.Hub) { h.Store = store })
	again := second.client("/mcp")
	again.header = c.header
	want(t, again.call("far_echo", `{}`), "far")
	// its key was not kept, and no other may take its place
	want(t, again.call("one_where", "{}"), "Missing KEY")
	routedAgain := second.client("/one/mcp")
	routedAgain.header = routed.header
	want(t, routedAgain.call("where", "{}"), `"pid"`)
	_, text := again.send("GET", "/session/"+again.header.Get(mcp.HeaderSessionID), "")
	want(t, string(text), `"restored":true`, `"protocolVersion":"2025-06-18"`)
	second.stop()
	mu.Lock()
	defer mu.Unlock()
	if begun != 1 {
		t.Errorf("the remote session was begun %d times", begun)
	}
	said := false
	for _, text := range second.recordings() {
		said = said || strings.Contains(text, `"k":"note"`) && strings.Contains(text, "restored")
	}
	if !said {
		t.Error("no recording says that a server was restored")
	}
}

// TestH16Stale: a session that nobody uses ends, with its processes.
func TestH16Stale(t *testing.T) {
	clock := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	r := start(t, []string{raw("one", "")}, func(h *hub.Hub) { h.Timeout, h.Now = time.Hour, clock.read })
	old, used := r.client("/mcp"), r.client("/mcp")
	old.initialize()
	used.initialize()
	pid := pidOf(t, old.call("one_where", "{}"))
	clock.add(50 * time.Minute)
	used.call("one_give", "{}")
	r.Reap()
	old.call("one_give", "{}") // still there, and used now
	clock.add(50 * time.Minute)
	used.call("one_give", "{}")
	clock.add(30 * time.Minute)
	r.Reap()
	resp, text := old.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if resp.StatusCode != 404 {
		t.Errorf("a stale session: %s", resp.Status)
	}
	want(t, string(text), "Session not found: it timed out after 1h0m0s without a request")
	if alive(pid) {
		t.Error("its process is left over")
	}
	used.call("one_give", "{}")
}

type clock struct {
	mu  sync.Mutex // guards now
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// TestH17Health: whether it serves, and what.
func TestH17Health(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	c.initialize()
	_, text := c.send("GET", "/healthz", "")
	want(t, string(text), `"status":"ok"`, `"sessions":1`)
}

// TestH18TwoHubs: a session goes on at another hub with the same store, and what
// one ends has ended at the other.
func TestH18TwoHubs(t *testing.T) {
	store := journal(t)
	share := func(h *hub.Hub) { h.Store = store }
	a, b := start(t, []string{raw("one", "")}, share), start(t, []string{raw("one", "")}, share)
	c := a.client("/mcp")
	c.initialize()
	pid := pidOf(t, c.call("one_where", "{}"))
	d := b.client("/mcp")
	d.header = c.header
	if other := pidOf(t, d.call("one_where", "{}")); other == pid {
		t.Error("two hubs share a process")
	}
	d.send("DELETE", "/mcp", "")
	for end := time.Now().Add(time.Minute); alive(pid); {
		if time.Now().After(end) {
			t.Fatal("the other hub's process is left over")
		}
	}
	resp, text := c.send("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if resp.StatusCode != 404 {
		t.Errorf("%s", resp.Status)
	}
	want(t, string(text), "Session not found: it was ended")
}
