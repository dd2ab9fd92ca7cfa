package clients

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// machine is a home and a project for a test, and midwire's own folder.
func machine(t *testing.T, system string) Env {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	port := 7299
	e := Env{
		OS: system, Home: filepath.Join(dir, "home"), Project: filepath.Join(dir, "project"),
		Getenv: func(string) string { return "" }, Journal: filepath.Join(dir, "state", "wrapped.json"),
		Self: "/opt/midwire/midwire", Port: func([]int) (int, error) { port++; return port, nil },
	}
	for _, dir := range []string{e.Home, e.Project} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// put writes a file of a client: home/… or project/….
func (e Env) put(t *testing.T, name string, data string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(e.Home), filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestClients wraps and unwraps every server of every client, in the files that
// stand in testdata/CLIENT.txtar. UPDATE=1 rewrites what comes of them.
func TestClients(t *testing.T) {
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) { wrapGolden(t, c) })
	}
}

func wrapGolden(t *testing.T, c Client) {
	golden := filepath.Join("testdata", c.ID+".txtar")
	in, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	e := machine(t, "linux")
	project := strings.ReplaceAll(e.Project, `\`, `\\`)
	var want, got txtar.Archive
	befores := map[string]string{}
	for _, f := range in.Files {
		if strings.HasPrefix(f.Name, "wrapped/") || f.Name == "refused" {
			want.Files = append(want.Files, f)
			continue
		}
		text := strings.ReplaceAll(string(f.Data), "PROJECT", project)
		befores[e.put(t, f.Name, text)] = text
		got.Files = append(got.Files, f)
	}
	files, err := e.Find(c, "")
	if err != nil || len(files) != len(befores) {
		t.Errorf("%d of %d files found, %v", len(files), len(befores), err)
	}
	var refused strings.Builder
	for _, f := range files {
		for _, s := range f.Servers {
			if _, err := e.Wrap(f, s, false); err != nil {
				refused.WriteString(s.At.Name + ": " + err.Error() + "\n")
			}
		}
	}
	for i, f := range got.Files {
		path := filepath.Join(filepath.Dir(e.Home), filepath.FromSlash(f.Name))
		text := strings.ReplaceAll(read(t, path), project, "PROJECT")
		got.Files = append(got.Files, txtar.File{Name: "wrapped/" + got.Files[i].Name, Data: []byte(text)})
	}
	if refused.Len() > 0 {
		got.Files = append(got.Files, txtar.File{Name: "refused", Data: []byte(refused.String())})
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, txtar.Format(&got), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if out := got.Files[len(befores):]; !bytes.Equal(txtar.Format(&txtar.Archive{Files: out}), txtar.Format(&want)) {
		t.Errorf("now it is\n%s", txtar.Format(&txtar.Archive{Files: out}))
	}
	unwrapGolden(t, e, c, befores)
}

func unwrapGolden(t *testing.T, e Env, c Client, befores map[string]string) {
	e.Project = filepath.Join(e.Home, "elsewhere") // what was wrapped is found from anywhere
	files, err := e.Find(c, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		for _, s := range f.Servers {
			if !s.Wrapped {
				continue
			}
			if _, err := e.Unwrap(f, s, false, false); err != nil {
				t.Errorf("%s: %v", s.At, err)
			}
		}
	}
	for path, text := range befores {
		if now := read(t, path); now != text {
			t.Errorf("unwrapped, %s is\n%s", path, now)
		}
	}
}
