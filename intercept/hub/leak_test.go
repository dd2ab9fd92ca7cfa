package hub_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"midwire/intercept/hub"
	"midwire/session/mcp"
	"midwire/session/record"
)

// variables are those of a hub.
func variables(all map[string]string) func(h *hub.Hub) {
	return func(h *hub.Hub) {
		h.Lookup = func(name string) (string, bool) { v, ok := all[name]; return v, ok }
	}
}

// left is all that a hub leaves behind: its log and its recordings.
func (r *running) left() string {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		r.t.Fatal("no recordings", err)
	}
	var all strings.Builder
	all.WriteString(r.log.String())
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			r.t.Fatal(err)
		}
		all.WriteString(string(text))
	}
	return all.String()
}

// none fails when a text has something secret.
func none(t *testing.T, where, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if i := strings.Index(text, s); i >= 0 {
			t.Errorf("%s: %q in …%s…", where, s, text[max(0, i-100):min(len(text), i+100)])
		}
	}
}

// TestRequestsAreNoTemplates: a client gets no variable of the hub's by naming it, in
// no value of a request.
func TestRequestsAreNoTemplates(t *testing.T) {
	r := start(t, []string{raw("one", `,"workingDirectory":"{workingDirectory}"`)}, variables(map[string]string{"SECRET": "very-secret"}))
	c := r.client("/mcp")
	dir := filepath.Join(t.TempDir(), "${SECRET}")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	got := c.init(fmt.Sprintf(`{"workingDirectory":%q,"credentials":{"KEY":"${SECRET}"},"preferences":{"executionContext":{"one":"${SECRET}"}}}`, dir))
	all := fmt.Sprint(got)
	got = c.init(fmt.Sprintf(`{"workingDirectory":%q,"credentials":{"KEY":"${SECRET}"}}`, dir))
	where := c.call("one_where", "{}")
	want(t, where, `/${SECRET}"`, `"key":"${SECRET}"`)
	other := r.client("/mcp?workingDirectory=/x/$%7BSECRET%7D")
	_, text := other.send("POST", other.path, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{}}}`)
	_, state := c.send("GET", "/session/"+got["sessionId"].(string), "")
	r.stop()
	none(t, "a value of a request was expanded", all+fmt.Sprint(got)+where+string(text)+string(state)+r.left(), "very-secret")
}

// TestDirectoriesOfClients: one that is not whole is refused, whichever way it comes.
func TestDirectoriesOfClients(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	for _, dir := range []string{"x", "../x", "/a/../b", "~/x", "//host/share", "/a\x00b", "${HOME}"} {
		quoted, _ := json.Marshal(dir)
		c := r.client("/mcp")
		query := "?workingDirectory=" + strings.NewReplacer("\x00", "%00", "$", "%24", "{", "%7B", "}", "%7D").Replace(dir)
		refused := func(path, body string) {
			t.Helper()
			if resp, text := c.send("POST", path, body); resp.StatusCode != 400 || !strings.Contains(string(text), "workingDirectory") {
				t.Errorf("%q at %s: %s %s", dir, path, resp.Status, text)
			}
		}
		refused("/session/init", `{"workingDirectory":`+string(quoted)+`}`)
		for _, path := range []string{"/mcp", "/one/mcp", "/mcp/one"} {
			refused(path+query, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
		}
		m := r.modern("/mcp" + query)
		if got := m.request("1", mcp.ToolsList, "", "")[0]; !strings.Contains(got, "workingDirectory") || !strings.Contains(got, "error") {
			t.Errorf("%q, without a session: %s", dir, got)
		}
	}
}

// TestLinksLeadNowhere: a directory in that of the session is one, and no link to
// another.
func TestLinksLeadNowhere(t *testing.T) {
	r := start(t, []string{raw("one", `,"allowedDirectories":["{workingDirectory}/in","{workingDirectory}/in/new"]`)}, nil)
	good, bad := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(good, "in"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(good, filepath.Join(bad, "in")); err != nil {
		t.Skip(err)
	}
	for dir, ok := range map[string]bool{good: true, bad: false} {
		got, _ := json.Marshal(r.client("/mcp").init(fmt.Sprintf(`{"workingDirectory":%q}`, dir)))
		if is := get(string(got), "servers", "one", "enabled") == "true"; is != ok || !ok && !strings.Contains(string(got), "by a link") {
			t.Errorf("%v: %s", ok, got)
		}
	}
}

// TestForeignPagesReachNoServer: the headers of the configuration are for clients
// alone. A page of another site, under whatever name, gets 403 on every path.
func TestForeignPagesReachNoServer(t *testing.T) {
	var seen atomic.Int64
	url := sdkHTTP(t, "far", func(*http.Request) { seen.Add(1) })
	r := start(t, []string{`"far":{"url":"` + url + `","headers":{"Authorization":"Bearer mine"}}`, raw("one", "")}, nil)
	at := strings.TrimPrefix(r.url, "http://")
	for _, caller := range []string{
		"Host: evil.example", "Host: localhost.evil.example:1", "Host: 0.0.0.0", "Host:", "Accept: */*",
		"Host: " + at + "\r\nOrigin: https://evil.example", "Host: " + at + "\r\nOrigin: null", "Host: " + at + "\r\nSec-Fetch-Site: cross-site",
	} {
		for _, target := range []string{
			"/far/mcp", "/mcp/far", "/far/anything", "/.well-known/oauth-protected-resource/far/mcp", "//far/mcp", "/%66ar/mcp", "/far/../far/mcp",
			"/mcp", "/one/mcp", "/session/init", "/session/x", "/healthz", "http://evil.example/far/mcp",
		} {
			for _, proto := range []string{"HTTP/1.1", "HTTP/1.0"} {
				got := said(t, at, fmt.Sprintf("GET %s %s\r\n%s\r\nConnection: close\r\n\r\n", target, proto, caller))
				if !strings.Contains(got, " 403 ") && !strings.Contains(got, "400 Bad Request: missing required Host") {
					t.Errorf("%q %s %s: %.100s", caller, target, proto, got)
				}
			}
		}
	}
	if n := seen.Load(); n > 0 {
		t.Errorf("%d requests reached the server", n)
	}
}

// TestWhatIsNoRequestReachesNoServer: not behind one that is a request, either.
func TestWhatIsNoRequestReachesNoServer(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		conn, err := far.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		all, _ := io.ReadAll(conn)
		got <- string(all)
	}()
	r := start(t, []string{remote("far", "http://"+far.Addr().String()+"/mcp")}, nil)
	defer far.Close()
	at := strings.TrimPrefix(r.url, "http://")
	answer := said(t, at, "GET /far/mcp HTTP/1.1\r\nHost: "+at+"\r\n\r\nGET /far/mcp\r\nHost: evil.example\r\n\r\n")
	want(t, answer, "400 Bad Request")
	r.stop()
	all := <-got
	want(t, all, "GET /mcp HTTP/1.1")
	none(t, "the server got what is no request", all, "evil.example")
}

// said sends bytes and returns all that comes back.
func said(t *testing.T, at, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second)) // who hangs has failed
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(conn)
	return string(got)
}

// TestErrorsAreMasked: what the hub says of a server that refuses it names none of its
// secrets, by no way on which it says it.
func TestErrorsAreMasked(t *testing.T) {
	var body bytes.Buffer
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body.Reset()
		fmt.Fprintf(&body, "no %s %s for %s", r.URL.Query().Get("k"), r.Header.Get("X-Foo"), r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write(body.Bytes())
	}))
	defer far.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	secrets := []string{"from-env", "hunter22", "other-one", "in-the-url", "argument-1"}
	self, _ := os.Executable()
	r := start(t, []string{
		`"far":{"url":"` + far.URL + `/mcp?k=${KEY}","headers":{"Authorization":"Bearer hunter22","X-Foo":"${OTHER}"}}`,
		`"gone":{"url":"` + strings.Replace(gone.URL, "://", "://me:hunter22@", 1) + `/mcp?key=in-the-url"}`,
		`"odd":{"url":"` + gone.URL + `/%zz?key=in-the-url","disabled":true}`,
		`"none":{"command":"/no/such/${KEY}","args":["${ARG}"]}`,
		`"lost":{"command":` + fmt.Sprintf("%q", self) + `,"workingDirectory":"/no/${KEY}","env":{"K":"other-one"}}`,
	}, variables(map[string]string{"KEY": "from-env", "OTHER": "other-one", "ARG": "argument-1"}))
	c := r.client("/mcp")
	answer, _ := json.Marshal(c.init(`{"clientInfo":{"name":"me","version":"1"}}`))
	list := c.ask(mcp.ToolsList, "{}")
	call := c.call("far_x", "{}") + c.call("gone_x", "{}")
	_, state := c.send("GET", "/session/"+c.header.Get(mcp.HeaderSessionID), "")
	want(t, string(answer), "it answers 401", "/no/${KEY} is no directory", `"endpoint":"`+far.URL+"/mcp?…")
	for where, text := range map[string]string{
		"answer": string(answer), "list": list, "call": call, "state": string(state), "log": r.log.String(),
	} {
		none(t, where, text, secrets...)
	}
	for _, p := range r.Config.Plan(planned(r)) {
		none(t, "terminal", hub.Shown(&p), secrets...)
	}
	r.stop()
	files := strings.ReplaceAll(r.left(), "no from-env other-one for Bearer hunter22", "") // what a server says is data
	none(t, "recordings", strings.ReplaceAll(files, "?k=from-env", ""), secrets...)        // a name that says nothing
}

// TestTooMuch: what is more than the hub takes in is refused, and so is what it cannot
// answer under an id.
func TestTooMuch(t *testing.T) {
	r := start(t, []string{raw("one", "")}, nil)
	c := r.client("/mcp")
	for name, body := range map[string]string{
		"batch": "[" + strings.Repeat(`{"jsonrpc":"2.0","method":"x"},`, 1001) + `{"jsonrpc":"2.0","method":"x"}]`,
		"params": `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"` +
			strings.Repeat("x", 1<<20) + `"}}}`,
	} {
		if resp, text := c.send("POST", "/mcp", body); resp.StatusCode != http.StatusRequestEntityTooLarge || len(text) > 1000 {
			t.Errorf("%s: %s %.200s", name, resp.Status, text)
		}
	}
	m := r.modern("/mcp")
	m.header.Set(mcp.HeaderVersion, "2099-01-01")
	_, text := m.send("POST", "/mcp", `{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01"}}}`)
	if !json.Valid(text) {
		t.Errorf("no JSON: %s", text)
	}
}

// TestEndlessServers: a server whose message has no end is given up with an error that
// says so, and the others go on.
func TestEndlessServers(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(body, []byte(`"initialize"`)):
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, get(string(body), "id"))
		case bytes.Contains(body, []byte("tools/call")):
			if bytes.Contains(body, []byte("events")) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: ")
			} else {
				w.Header().Set("Content-Type", "application/json")
			}
			for piece := bytes.Repeat([]byte("x"), 1<<20); ; {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer far.Close()
	r := start(t, []string{remote("far", far.URL), raw("one", "")}, func(h *hub.Hub) {
		h.Record = func(record.Header) *record.Writer { return record.Discard() }
	})
	c := r.client("/mcp")
	c.initialize()
	for _, tool := range []string{"far_json", "far_events"} {
		want(t, c.call(tool, "{}"), "a message of it is longer than 64 MiB")
	}
	want(t, c.call("one_give", "{}"), `"given"`)
}
