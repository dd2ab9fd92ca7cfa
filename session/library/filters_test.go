package library

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"testing"
)

func TestFiltersAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	a, b := FiltersIn(dir), FiltersIn(dir) // two viewers
	if used, err := a.Load(); err != nil || len(used) > 0 {
		t.Fatalf("no file: %v %v", used, err)
	}
	for _, err := range []error{a.Use("is:error"), b.Use("tool:x"), a.Use("is:error")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	used, err := b.Load()
	if err != nil || !reflect.DeepEqual(used, []string{"tool:x", "is:error"}) {
		t.Errorf("%v %v", used, err)
	}
	info, err := os.Stat(a.path)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v %v", info.Mode(), err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%d files in the folder", len(left))
	}
}

func TestOnlyTheLatestAreKept(t *testing.T) {
	f := FiltersIn(t.TempDir())
	if err := os.WriteFile(f.path, []byte(`{"used":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range maxUsed + 20 {
		if err := f.Use(strconv.Itoa(i)); err != nil {
			t.Fatal(err)
		}
	}
	if used, _ := f.Load(); len(used) != maxUsed || used[0] != "20" {
		t.Errorf("%d kept, from %s", len(used), used[0])
	}
}
