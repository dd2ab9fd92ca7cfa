package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestPrivate: a file for one run can be read as often as its reader wants, by its
// owner alone, and nothing of it is left.
func TestPrivate(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	name, remove, err := Private(folder, []byte("s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if data, err := os.ReadFile(name); err != nil || string(data) != "s3cret" {
			t.Errorf("%q, %v", data, err)
		}
	}
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, err := os.Stat(folder); err == nil && runtime.GOOS == "linux" {
		t.Error("a disk has it")
	}
	remove()
	if _, err := os.Stat(name); err == nil {
		t.Errorf("%s is still there", name)
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
