package safefile

import (
	"errors"
	"fmt"
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

// A file that a user named ends, whatever it is.
func TestReadGiven(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	fd := fmt.Sprintf("/dev/fd/%d", r.Fd())
	if _, err := os.Stat(fd); err != nil {
		t.Skip(err)
	}
	go func() { _, _ = w.WriteString("text"); w.Close() }()
	if got, err := ReadGiven(fd, 10); string(got) != "text" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := ReadGiven("/dev/zero", 1<<20); err == nil || !strings.Contains(err.Error(), "/dev/zero: it is longer than 1024 KiB") {
		t.Error(err)
	}
}
