package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	write := func(text string, err error) error {
		return Replace(path, func(w io.Writer) error { _, _ = io.WriteString(w, text); return err })
	}
	if err := write("one", nil); err != nil {
		t.Fatal(err)
	}
	fault := errors.New("as planned")
	if err := write("two", fault); !errors.Is(err, fault) {
		t.Errorf("the error is %v", err)
	}
	if text, err := Read(path, 3); err != nil || string(text) != "one" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := Read(path, 2); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("too long a file: %v", err)
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("left: %v, %v", all, err)
	}
}

func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := Open(dir); !errors.Is(err, ErrNoFile) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadOwn(filepath.Join(dir, "x"), 1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	link := filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o600), os.Symlink("x", link)); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(link, 1); err != nil || string(text) != "x" {
		t.Errorf("a link: %q, %v", text, err)
	}
	if _, err := ReadOwn(link, 1); !errors.Is(err, ErrNoFile) {
		t.Errorf("a link that must be a file: %v", err)
	}
	if text, err := ReadOwn(filepath.Join(dir, "x"), 1); err != nil || string(text) != "x" {
		t.Errorf("a file of ours: %q, %v", text, err)
	}
}
