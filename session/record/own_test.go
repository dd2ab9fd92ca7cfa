package record

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOwn(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	made := func(dir, host string) string {
		w, err := Create(dir, Header{Tap: "stdio", Host: host}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return w.Path()
	}
	here := made(dir, host)
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(made(other, host), link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		here: true, filepath.Join(dir, ".", filepath.Base(here)): true,
		made(dir, "elsewhere"): false, made(dir, ""): false, made(other, host): false,
		link: false, filepath.Join(dir, "none.jsonl"): false, dir: false,
	} {
		if got := IsOwn(dir, path); got != want {
			t.Errorf("Own(%s) = %v", path, got)
		}
	}
}
