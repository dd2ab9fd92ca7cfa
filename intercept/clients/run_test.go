package clients

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestRun plans the runs of testdata/run: files of a machine, with the command,
// the variables of its environment, and what comes of it. UPDATE=1 rewrites
// that.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are not Windows's")
	}
	all, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(all) == 0 {
		t.Fatalf("%v, %v", all, err)
	}
	for _, file := range all {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runGolden(t, file) })
	}
}

func runGolden(t *testing.T, golden string) {
	in, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	e := machine(t, "linux")
	dir := filepath.Dir(e.Home)
	here := strings.NewReplacer("/w/", filepath.ToSlash(dir)+"/")
	var command []string
	env, befores := map[string]string{}, map[string]string{}
	for _, f := range in.Files {
		text := here.Replace(string(f.Data))
		switch f.Name {
		case "want":
		case "command":
			command = strings.Split(strings.TrimSpace(text), "\n")
		case "env":
			for line := range strings.Lines(text) {
				name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
				env[name] = value
			}
		default:
			befores[e.put(t, f.Name, text)] = text
		}
	}
	e.Getenv = func(name string) string { return env[name] }
	if sub := env["PWD"]; sub != "" {
		e.Project = sub
	}
	got := strings.ReplaceAll(described(t, e, command), filepath.ToSlash(dir)+"/", "/w/")
	i := slices.IndexFunc(in.Files, func(f txtar.File) bool { return f.Name == "want" })
	if os.Getenv("UPDATE") != "" {
		if i < 0 {
			i, in.Files = len(in.Files), append(in.Files, txtar.File{Name: "want"})
		}
		in.Files[i].Data = []byte(got)
		if err := os.WriteFile(golden, txtar.Format(in), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if i < 0 || !bytes.Equal(in.Files[i].Data, []byte(got)) {
		t.Errorf("now it is\n%s", got)
	}
	for path, text := range befores {
		if read(t, path) != text {
			t.Errorf("%s was changed", path)
		}
	}
}

// described says what a run does.
func described(t *testing.T, e Env, command []string) string {
	c, at, ok := Started(command)
	if !ok {
		t.Fatalf("%q is no client", command)
	}
	r, err := e.Run(c, command, at, func(server string) []string { return []string{"midwire", "--label=" + server, "--"} })
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, s := range r.Servers {
		fmt.Fprintf(&b, "server %s: %s %s in file %v, %v\n", s.Name, s.Transport, s.URL, s.InFile, s.Why)
	}
	for _, note := range r.Notes {
		fmt.Fprintf(&b, "note %s\n", note)
	}
	words, set := r.Launch("/the/file")
	for _, word := range words {
		fmt.Fprintf(&b, "word %s\n", word)
	}
	for _, one := range set {
		fmt.Fprintf(&b, "set %s\n", one)
	}
	if r.File != nil {
		fmt.Fprintf(&b, "file %s\n", r.File)
	}
	return b.String()
}
