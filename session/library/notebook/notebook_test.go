package notebook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/record"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func commented(frame uint64, text string) *notes.Notes {
	n := notes.New()
	n.Set(notes.Key{Kind: notes.Comment, Frame: frame}, text, noon)
	return n
}

func TestNotesLieBesideTheRecording(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "20261121-101500-x7k2q9.jsonl")
	if n, err := Read(rec); err != nil || n.Total() != 0 {
		t.Fatalf("%v, %v", n, err)
	}
	if _, err := Write(rec, commented(3, "here")); err != nil {
		t.Fatal(err)
	}
	path := strings.TrimSuffix(rec, ".jsonl") + ".notes.json"
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 && os.PathSeparator == '/' {
		t.Errorf("mode %v", info.Mode())
	}
	if all, _ := os.ReadDir(filepath.Dir(rec)); len(all) != 1 {
		t.Errorf("left behind: %v", all)
	}
	if ids, _ := record.Names(filepath.Dir(rec)); len(ids) != 0 {
		t.Errorf("notes are listed as recordings: %v", ids)
	}
}

// TestManyWriters: whatever two viewers write at the same time is kept.
func TestManyWriters(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "a.jsonl")
	var wg sync.WaitGroup
	for i := range uint64(20) {
		wg.Go(func() {
			if _, err := Write(rec, commented(i, "x")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n, err := Read(rec)
	if err != nil || n.Total() != 20 {
		t.Errorf("%d notes, %v", n.Total(), err)
	}
}

func TestDamagedNotesAreLeftAlone(t *testing.T) {
	for _, text := range []string{`{"midwire_notes":1,`, `{"midwire_notes":9}`, "hello"} {
		rec := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(File(rec), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Write(rec, commented(1, "x"))
		if err == nil || !strings.Contains(err.Error(), File(rec)) {
			t.Errorf("%q: %v", text, err)
		}
		if got, _ := os.ReadFile(File(rec)); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestWhatAnotherLeftBehind(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "a.jsonl")
	stale := File(rec) + ".new"
	if err := os.WriteFile(stale, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(stale, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(rec, commented(1, "x")); err != nil {
		t.Error(err)
	}
}

func TestNotKept(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "no", "such", "a.jsonl")
	if _, err := Write(gone, commented(1, "x")); !errors.Is(err, notes.ErrNotKept) {
		t.Errorf("a folder that is not there: %v", err)
	}
	b := Book{Path: func(string) string { return gone }, Passing: func(string) bool { return true }}
	if _, err := b.Save("a", commented(1, "x")); !errors.Is(err, notes.ErrNotKept) {
		t.Errorf("standard input: %v", err)
	}
	if _, err := b.Load("a"); err != nil {
		t.Error(err)
	}
}

func TestDelete(t *testing.T) {
	dir := t.TempDir()
	w, err := record.Create(dir, record.Header{Started: noon, Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b := Book{Path: func(string) string { return w.Path() }, Library: dir}
	path, size, outside, err := b.Find("a")
	if err != nil || size == 0 || outside {
		t.Fatalf("%s %d %v %v", path, size, outside, err)
	}
	if err := b.Delete("a", path); err == nil {
		t.Error("a live recording is deleted")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, commented(1, "x")); err != nil {
		t.Fatal(err)
	}
	if _, err := summary.Get(t.Context(), path); err != nil || summary.Size(path) == 0 {
		t.Fatalf("no summary: %v", err)
	}
	if err := b.Delete("a", path+"2"); err == nil {
		t.Error("another path than was agreed to")
	}
	if err := b.Delete("a", path); err != nil {
		t.Error(err)
	}
	if all, _ := filepath.Glob(filepath.Join(dir, "*.json*")); len(all) != 0 {
		t.Errorf("left: %v", all)
	}
	b.Library = t.TempDir()
	other := filepath.Join(dir, "b.jsonl")
	if err := os.WriteFile(other, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Path = func(string) string { return other }
	if _, _, outside, _ := b.Find("b"); !outside {
		t.Error("a file elsewhere is said to be in the library")
	}
}
