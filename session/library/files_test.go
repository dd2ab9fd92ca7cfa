package library

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/session/diagnose"
	"midwire/session/diagnose/rules"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// files are those of a recording in a folder of its own.
func files(path string) *Files {
	return &Files{
		Path: func(string) string { return path }, Home: func() (string, error) { return filepath.Dir(path), nil },
		Frame: func(_ string, n uint64) (wire.Frame, error) {
			r, err := record.Open(path)
			if err != nil {
				return wire.Frame{}, err
			}
			defer r.Close()
			for f := (wire.Frame{}); ; {
				if err := r.Next(&f); err != nil || f.N == n {
					f.Data = slices.Clone(f.Data)
					return f, err
				}
			}
		},
		Options: func() (record.Options, error) { return record.Options{}, nil }, Version: "v1",
	}
}

// posted is a recording of one HTTP request with secrets in it.
func posted(t *testing.T) *record.Writer {
	t.Helper()
	w, err := record.Create(t.TempDir(), record.Header{ID: "web", Started: begun(), Tap: "http", Target: "http://user:pass@localhost:3000/mcp"}, record.Options{Redact: redact.Options{Keep: true}})
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"it's","arguments":{"access_token":"sk-body"}}}`
	w.Append(&wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: 1, X: 1, Data: []byte("POST /mcp?a=b HTTP/1.1\r\nHost: localhost:3000\r\nAuthorization: Bearer sk-head\r\nMcp-Session-Id: abc\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n")})
	w.Append(&wire.Frame{Kind: wire.KindRequest, Dir: wire.ToServer, Conn: 2, X: 2, Data: []byte("GET /other HTTP/1.1\r\n\r\n")})
	w.Append(&wire.Frame{Kind: wire.KindBody, Dir: wire.ToServer, Conn: 1, X: 1, Data: []byte(body)})
	w.Append(&wire.Frame{Kind: wire.KindResponse, Dir: wire.ToClient, Conn: 1, X: 1, Data: []byte("HTTP/1.1 200 OK\r\n\r\n")})
	w.Close()
	return w
}

// What is written is new, whole, masked, and for nobody else's eyes.
func TestFilesAreNew(t *testing.T) {
	f := files(posted(t).Path())
	dir := t.TempDir()
	t.Chdir(dir)
	for _, want := range []string{"web.html", "web-2.html", "web-3.html"} {
		path, err := f.Export(t.Context(), "web", 0, "html")
		if err != nil || filepath.Base(path) != want || filepath.Dir(path) == filepath.Dir(f.Path("")) {
			t.Fatalf("%s %v, want %s here", path, err, want)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v %v", info.Mode(), err)
		}
		text, _ := os.ReadFile(path)
		if strings.Contains(string(text), "sk-") || !strings.Contains(string(text), "</html>") {
			t.Errorf("%s is not whole, or has a secret", path)
		}
	}
	path, err := f.Save("web", "../../-a b\x1b/c.tar.gz", []byte("x"))
	if err != nil || filepath.Base(path) != "a-b--c.tar.gz" {
		t.Errorf("%s %v", path, err)
	}
	if path, err = f.Save("web", "../../-a b\x1b/c.tar.gz", []byte("x")); err != nil || filepath.Base(path) != "a-b--c-2.tar.gz" {
		t.Errorf("%s %v", path, err)
	}
	found := map[string][]*diagnose.Finding{"web": {{Rule: rules.All()[0], Message: "seen", Frames: []uint64{1}}}}
	if path, err = f.SARIF(found); err != nil || filepath.Base(path) != "findings.sarif" {
		t.Errorf("%s %v", path, err)
	}
	if text, _ := os.ReadFile(path); !strings.Contains(string(text), rules.All()[0].ID) {
		t.Errorf("the finding is not in %s", text)
	}
}

// What fails leaves nothing behind, and says what to do.
func TestFilesThatCannotBe(t *testing.T) {
	f := files(posted(t).Path())
	dir := t.TempDir()
	t.Chdir(dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Export(ctx, "web", 0, "text"); err == nil || !strings.Contains(err.Error(), "the partial file was removed") {
		t.Errorf("given up: %v", err)
	}
	for format, session := range map[string]int{"docx": 0, "html": 7} {
		if _, err := f.Export(t.Context(), "web", session, format); err == nil {
			t.Errorf("%s of session %d is exported", format, session)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if path, err := f.Save("web", "x.txt", nil); err != nil || filepath.Dir(path) != filepath.Dir(f.Path("")) {
		t.Errorf("where nothing can be written: %s %v", path, err)
	}
	f.Path = func(string) string { return filepath.Join(gone, "web.jsonl") }
	if _, err := f.Save("web", "x.txt", nil); err == nil || !strings.Contains(err.Error(), "start midwire in a writable folder") {
		t.Errorf("nowhere to write: %v", err)
	}
}

func TestCommandsForAShell(t *testing.T) {
	w := posted(t)
	f := files(w.Path())
	got, err := f.Curl("web", 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`-X 'POST' 'http://localhost:3000/mcp?a=b'`, `-H 'Mcp-Session-Id: abc'`, "--data-raw '", `it'\''s`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "sk-") || strings.Contains(got, "pass") || strings.Contains(got, "/other") {
		t.Errorf("a secret, or another request, in\n%s", got)
	}
	if _, err := f.Curl("web", 4); err == nil {
		t.Error("a response becomes a request")
	}
	if got, err = f.ReplayLine("web", 2); err != nil || !strings.HasPrefix(got, "midwire replay web --session 2 --to ") {
		t.Errorf("%s %v", got, err)
	}
	host, _ := os.Hostname()
	for _, tt := range []struct {
		header record.Header
		want   string
	}{
		{record.Header{ID: "one", Host: host, Tap: "stdio", Command: []string{"node", "build/index.js", "it's"}}, `midwire replay one -- node build/index.js 'it'\''s'`},
		{record.Header{ID: "two", Host: host, Tap: "stdio"}, "midwire replay two --to URL"},
		{record.Header{ID: "from elsewhere", Host: "elsewhere", Tap: "stdio", Command: []string{"rm", "-rf", "/"}}, "midwire replay 'from elsewhere' --to URL"},
	} {
		w, err := record.Create(t.TempDir(), tt.header, record.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
		if got, err = files(w.Path()).ReplayLine(tt.header.ID, 0); err != nil || got != tt.want {
			t.Errorf("%s %v, want %s", got, err, tt.want)
		}
	}
}
