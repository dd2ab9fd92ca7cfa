package intercept

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/session/wire"
)

// shortDir is a folder whose name leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestServerOnASocket(t *testing.T) {
	file := filepath.Join(shortDir(t), "mcp.sock")
	ln, err := net.Listen("unix", file)
	if err != nil {
		t.Skip(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s", r.Host, r.RequestURI, body)
	})}
	go server.Serve(ln)
	defer server.Close()
	for _, how := range []string{"", "rewrite"} {
		target, err := ParseTarget("http://unix:" + file + ":/mcp?x=1")
		if err != nil || target.RequestURI() != "/mcp?x=1" {
			t.Fatal(target, err)
		}
		o := HTTPOptions{Listen: "127.0.0.1:0", Host: how}
		made, err := o.New(target)
		if err != nil {
			t.Fatal(err)
		}
		made.Listen.Close()
		tap := startHTTP(t, made)
		resp, err := http.Post("http://"+tap.addr+target.RequestURI(), "text/plain", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		http.DefaultClient.CloseIdleConnections()
		want := tap.addr + " /mcp?x=1 hello"
		if how == "rewrite" {
			want = "localhost /mcp?x=1 hello"
		}
		if string(body) != want {
			t.Errorf("%q: %q, not %q", how, body, want)
		}
		tap.stop()
		if open := ofKind(frames(t, tap.path), wire.KindOpen); len(open) != 1 || !strings.Contains(string(open[0].Data), "mcp.sock") {
			t.Errorf("recorded is %v", open)
		}
	}
	server.Close()
	target, _ := ParseTarget("unix://" + file)
	tap := startHTTP(t, &HTTP{Target: target, KeepHost: true})
	if said := talk(t, tap.addr, post("/", "{}")); !strings.Contains(said, "502") || !strings.Contains(said, "cannot reach http://unix:"+file) {
		t.Errorf("%q", said)
	}
}

func TestTargets(t *testing.T) {
	for given, want := range map[string]string{
		"http://localhost:3000/mcp":          "http://localhost:3000/mcp",
		"http://unix:/run/mcp.sock:/mcp?a=b": "http://unix:/run/mcp.sock:/mcp?a=b",
		"http://unix:/run/mcp.sock":          "http://unix:/run/mcp.sock:/",
		"unix:///run/mcp.sock":               "http://unix:/run/mcp.sock:/",
		"unix:/run/mcp.sock:/mcp":            "http://unix:/run/mcp.sock:/mcp",
		"http://unix::/mcp":                  "",
		"unix:":                              "",
		"http://unix:/run/mcp.sock:mcp":      "",
		"https://unix:/run/mcp.sock:/mcp":    "https://unix:/run/mcp.sock:/mcp", // a host of that name
		"http://unix:8080/mcp":               "http://unix:8080/mcp",
		"ftp://localhost":                    "",
		"http://user:secret@localhost/mcp":   "http://user:xxxxx@localhost/mcp",
	} {
		u, err := ParseTarget(given)
		got := ""
		if err == nil {
			got = ShowTarget(u)
		}
		if got != want {
			t.Errorf("%s: %q, %v; not %q", given, got, err, want)
		}
	}
}
