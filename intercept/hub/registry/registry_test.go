package registry_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/intercept/hub/registry"
	"midwire/intercept/hub/registry/registrytest"
)

func open(t *testing.T, path string) *registry.Journal {
	t.Helper()
	j, err := registry.OpenJournal(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestJournal(t *testing.T) {
	registrytest.Store(t, func(t *testing.T) registry.Store {
		return open(t, filepath.Join(t.TempDir(), "hub.jsonl"))
	})
}

// TestJournalSurvives: what was written is there after an end without Close, also
// when the last line is torn; one process has it.
func TestJournalSurvives(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "hub.jsonl")
	j := open(t, path)
	r := registry.Registry{Store: j}
	for _, id := range []string{"a", "b", "c"} {
		if _, err := r.Save(ctx, &registry.Session{ID: id, Dir: "/" + id, Params: []byte("{}")}, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Delete(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.OpenJournal(path); err == nil || !strings.Contains(err.Error(), "another hub") {
		t.Errorf("two hubs have one journal: %v", err)
	}
	j.Close()
	f, _ := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	f.WriteString(`{"key":"c","revision":99,"val`)
	f.Close()
	j = open(t, path)
	defer j.Close()
	r = registry.Registry{Store: j}
	all, err := r.List(ctx)
	if err != nil || len(all) != 2 {
		t.Fatalf("%v %v", all, err)
	}
	if s, _, err := r.Load(ctx, "c"); err != nil || s.Dir != "/c" {
		t.Errorf("%+v %v", s, err)
	}
	for _, id := range []string{"b", "", "../c", strings.Repeat("x", 200)} {
		if _, _, err := r.Load(ctx, id); !errors.Is(err, registry.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("%v", info.Mode())
	}
}

// TestSaveDoesNotResurrect: who saves a session that was deleted learns it.
func TestSaveDoesNotResurrect(t *testing.T) {
	ctx := context.Background()
	j := open(t, filepath.Join(t.TempDir(), "hub.jsonl"))
	defer j.Close()
	r := registry.Registry{Store: j}
	s := &registry.Session{ID: "a", Params: []byte("{}")}
	rev, err := r.Save(ctx, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Save(ctx, s, 0); err != nil { // somebody else's, written over
		t.Fatal(err)
	}
	_ = r.Delete(ctx, "a")
	if _, err := r.Save(ctx, s, rev); !errors.Is(err, registry.ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestOneTakesOver: of two hubs that want a session one has it, and whoever had it
// before cannot write it any more.
func TestOneTakesOver(t *testing.T) {
	ctx := context.Background()
	j := open(t, filepath.Join(t.TempDir(), "hub.jsonl"))
	defer j.Close()
	r := registry.Registry{Store: j}
	old := &registry.Session{ID: "a", Hub: "old", Params: []byte("{}")}
	rev, err := r.Save(ctx, old, 0)
	if err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, hub := range []string{"one", "two"} {
		s, _, err := r.Load(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		s.Hub = hub
		if _, err := r.Claim(ctx, s, rev); err == nil {
			won++
		} else if !errors.Is(err, registry.ErrConflict) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("%d have taken it over", won)
	}
	if _, err := r.Save(ctx, old, rev); !errors.Is(err, registry.ErrTaken) {
		t.Errorf("who had it before: %v", err)
	}
}
