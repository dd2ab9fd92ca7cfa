package doctor

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/intercept/clients"
)

// world is an installation where all is well, but for what a test changes.
type world struct {
	Env
	home string
	vars map[string]string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	w := &world{home: t.TempDir(), vars: map[string]string{"TERM": "xterm-256color", "LANG": "C.UTF-8"}}
	dir := filepath.Join(w.home, "midwire", "recordings")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.Env = Env{
		Out: out, Getenv: func(name string) string { return w.vars[name] }, GOOS: "linux", Version: "v1.0.0",
		Folder: func() (string, error) { return dir, nil },
		Machine: func() (clients.Env, error) {
			return clients.Env{
				OS: "linux", Home: w.home, Project: w.home, Getenv: func(string) string { return "" },
				Journal: filepath.Join(filepath.Dir(dir), "wrapped.json"), Self: self,
			}, nil
		},
		Config: func() (bool, string, error) { return false, "", nil },
		ASCII:  func() bool { return false },
		Found:  errors.New("found"),
	}
	return w
}

func (w *world) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(w.home, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// want checks that some line has a state and says all of the words.
func (w *world) want(t *testing.T, check string, state State, words ...string) {
	t.Helper()
	var said []string
	for _, r := range w.examine(false) {
		if r.Check != check {
			continue
		}
		text := r.Says + " → " + r.Next
		said = append(said, string(r.State)+": "+text)
		missing := r.State != state
		for _, word := range words {
			missing = missing || !strings.Contains(text, word)
		}
		if !missing {
			return
		}
	}
	t.Errorf("%s has no line of state %s with %q:\n%s", check, state, words, strings.Join(said, "\n"))
}

func TestAllIsWell(t *testing.T) {
	w := newWorld(t)
	for _, r := range w.examine(false) {
		if r.State == Failed || r.State == Warning && r.Check != "program" && !strings.Contains(r.Says, "its disk has") {
			t.Errorf("%+v", r)
		}
	}
}

func TestRecordings(t *testing.T) {
	w := newWorld(t)
	const head = `{"midwire":1,"id":"x","started":"2026-01-01T00:00:00Z","tap":"stdio","command":["x"]}` + "\n"
	w.write(t, "midwire/recordings/good.jsonl", head)
	w.write(t, "midwire/recordings/torn.jsonl", head+`{"n":1`)
	w.write(t, "midwire/recordings/damaged.jsonl", head+"not JSON\n")
	w.write(t, "midwire/recordings/newer.jsonl", `{"midwire":9,"id":"x","started":"2026-01-01T00:00:00Z","tap":"stdio"}`+"\n")
	w.want(t, "recordings", Warning, "damaged: 1 line cannot be read", "midwire show damaged")
	w.want(t, "recordings", Warning, "newer cannot be read")
	w.want(t, "recordings", Note, "1 recording of proxies that were killed")
	w.want(t, "recordings", OK, "4 recordings")
	file := filepath.Join(w.home, "file")
	w.write(t, "file", "")
	w.Folder = func() (string, error) { return filepath.Join(file, "recordings"), nil }
	w.want(t, "folder", Failed, "cannot be written", "MIDWIRE_HOME")
}

func TestClients(t *testing.T) {
	w := newWorld(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := ln.Addr().String()
	w.write(t, ".cursor/mcp.json", `{"mcpServers":{
		"gone":{"command":"/nowhere/midwire","args":["--","x"]},
		"plain":{"command":"x"},
		"web":{"url":"http://`+address+`/mcp"},
		"back":{"command":"x"}}}`)
	record := func(name, mark string) string {
		return `{"client":"cursor","file":"` + filepath.ToSlash(w.home) + `/.cursor/mcp.json","at":{"path":["mcpServers"],"name":"` + name + `"},"mark":` + mark + `}`
	}
	w.write(t, "midwire/wrapped.json", `{"midwire_wrapped":1,"records":[`+
		record("web", `{"origin":"https://example.com","local":"http://`+address+`","line":[]}`)+","+
		record("back", `{"line":[]}`)+`]}`)
	w.want(t, "clients", Failed, "cursor/gone starts /nowhere/midwire", "server does not start")
	w.want(t, "clients", Warning, "cursor/back is not wrapped any more", "midwire wrap cursor/back")
	w.want(t, "clients", OK, "in front of 2 servers")
	for _, r := range w.examine(false) {
		if strings.Contains(r.Says, "cursor/web") || strings.Contains(r.Says, "cursor/plain") {
			t.Errorf("all is well with it: %+v", r)
		}
	}
	ln.Close()
	w.want(t, "clients", Warning, "cursor/web uses http://"+address+", where nothing listens", "midwire http https://example.com/mcp --listen "+address)
	w.write(t, ".cursor/mcp.json", `{`)
	w.want(t, "clients", Warning, "Cursor", "cannot be read")
}

// TestLines: the columns hold, and nothing of others' text moves the cursor.
func TestLines(t *testing.T) {
	results := []Result{
		{"folder", Warning, "a\x1b[2Jb has a long text that does not fit into a line of eighty characters", "do this"},
		{"folder", OK, "well", ""},
	}
	want := `folder         warning  a␛[2Jb has a long text that does not fit into a line of
                        eighty characters
                        → do this
               ok       well

1 warning.
`
	if got := lines(results, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := lines(results[1:], true); strings.ContainsFunc(got, func(r rune) bool { return r > 126 }) {
		t.Errorf("%q is not ASCII", got)
	}
}
