package library

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	s := StateIn(dir)
	if got := s.Load(); len(got) != 0 {
		t.Errorf("nothing was kept: %v", got)
	}
	if err := s.Keep(map[string]string{"detail": "right", "order": "latency"}); err != nil {
		t.Fatal(err)
	}
	if err := StateIn(dir).Keep(map[string]string{"order": "size"}); err != nil {
		t.Fatal(err)
	}
	if got := s.Load(); !maps.Equal(got, map[string]string{"detail": "right", "order": "size"}) {
		t.Errorf("%v", got)
	}
	for _, broken := range []string{"", "{", `["detail"]`, `{"detail": 3}`} {
		if err := os.WriteFile(filepath.Join(dir, stateName), []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := s.Load(); len(got) != 0 {
			t.Errorf("%q is read as %v", broken, got)
		}
		if err := s.Keep(map[string]string{"a": "b"}); err != nil || s.Load()["a"] != "b" {
			t.Errorf("%q stays: %v", broken, err)
		}
	}
}
