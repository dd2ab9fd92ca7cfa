package launch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPrograms: what a server was started from is described, what may hold a secret is not.
func TestPrograms(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			t.Fatal(err)
		}
		return real
	}
	node, script := write("bin/node", "binary"), write("app/dist/index.js", "1")
	pkg, token := write("app/package.json", "{}"), write("token", "hunter2")
	paths := func(args ...string) (all []string) {
		for _, p := range programs(node, args, dir) {
			all = append(all, p.Path)
		}
		return all
	}
	if got := paths("--secret", token, script); !slices.Equal(got, []string{node, script, pkg}) {
		t.Errorf("got %v", got)
	}
	if got := paths(filepath.Join("app", "dist", "index.js")); !slices.Equal(got, []string{node, script, pkg}) {
		t.Errorf("relative to the folder: %v", got)
	}
	if got := paths("nothing.js", dir+".js", token); slices.Contains(got, token) {
		t.Errorf("a file that may be a secret: %v", got)
	}
	before := programs(node, []string{script}, dir)[1]
	write("app/dist/index.js", "2")
	after := programs(node, []string{script}, dir)[1]
	if before.Hash == after.Hash || before.Hash == "" {
		t.Errorf("another script has the same hash: %v, %v", before, after)
	}
	if got := programs(filepath.Join(dir, "gone"), nil, dir); got != nil {
		t.Errorf("of a program that is not there: %v", got)
	}
}
