package notebook

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"midwire/session/library/noted"
	"midwire/session/library/summary"
	"midwire/session/notes"
	"midwire/session/record"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func commented(frame uint64, text string) notes.Changes {
	return notes.Changes{{Kind: notes.Comment, Frame: frame}: text}
}

func TestNotesLieBesideTheRecording(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "20261121-101500-x7k2q9.jsonl")
	if n, err := noted.Read(rec); err != nil || n.Total() != 0 {
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
	n, err := noted.Read(rec)
	if err != nil || n.Total() != 20 {
		t.Errorf("%d notes, %v", n.Total(), err)
	}
}

func TestDamagedNotesAreLeftAlone(t *testing.T) {
	for _, text := range []string{`{"midwire_notes":1,`, `{"midwire_notes":9}`, "hello"} {
		rec := filepath.Join(t.TempDir(), "a.jsonl")
		if err := os.WriteFile(noted.File(rec), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Write(rec, commented(1, "x"))
		if err == nil || !strings.Contains(err.Error(), noted.File(rec)) {
			t.Errorf("%q: %v", text, err)
		}
		if got, _ := os.ReadFile(noted.File(rec)); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

func TestWhatAnotherLeftBehind(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "a.jsonl")
	stale := noted.File(rec) + ".new"
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

// recorded is a finished recording.
func recorded(t *testing.T) string {
	t.Helper()
	w, err := record.Create(t.TempDir(), record.Header{Started: noon, Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestDispose(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    error
	}{
		{"nothing was said about it", func(*testing.T, string) {}, nil},
		{"a comment that was taken away", func(t *testing.T, path string) {
			for _, text := range []string{"x", ""} {
				if _, err := Write(path, commented(3, text)); err != nil {
					t.Fatal(err)
				}
			}
		}, nil},
		{"a comment", func(t *testing.T, path string) {
			if _, err := Write(path, commented(3, "x")); err != nil {
				t.Fatal(err)
			}
		}, ErrNoted},
		{"notes of a later midwire", func(t *testing.T, path string) { put(t, noted.File(path), `{"midwire_notes":9}`) }, ErrNoted},
		{"notes that are damaged", func(t *testing.T, path string) { put(t, noted.File(path), `{"midwire`) }, ErrNoted},
		{"rules of a replay", func(t *testing.T, path string) { put(t, path+".ignore", "$.result.time") }, ErrNoted},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := recorded(t)
			tt.prepare(t, path)
			if err := Disposable(path); !errors.Is(err, tt.want) {
				t.Errorf("it is disposable: %v, want %v", err, tt.want)
			}
			if err := Dispose(path); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			if isThere(path) != (tt.want != nil) {
				t.Errorf("the recording is there: %v", isThere(path))
			}
			if tt.want == nil && isThere(noted.File(path)) {
				t.Error("its notes are left")
			}
			if isThere(noted.File(path) + ".new") {
				t.Error("the draft is left")
			}
		})
	}
}

func TestDisposeKeepsWhatAProxyWrites(t *testing.T) {
	w, err := record.Create(t.TempDir(), record.Header{Started: noon, Tap: "stdio"}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := Dispose(w.Path()); !errors.Is(err, ErrLive) || !isThere(w.Path()) {
		t.Errorf("%v", err)
	}
	nowhere := filepath.Join(t.TempDir(), "no", "a.jsonl")
	if err := Dispose(nowhere); err == nil {
		t.Error("a recording that is not there is deleted")
	}
}

// TestDisposeWaitsForANote: a comment that another midwire is writing at this
// moment keeps the recording.
func TestDisposeWaitsForANote(t *testing.T) {
	path := recorded(t)
	draft, err := reserve(noted.File(path) + ".new")
	if err != nil {
		t.Fatal(err)
	}
	disposed := make(chan error)
	go func() { disposed <- Dispose(path) }()
	n := notes.New()
	n.Apply(commented(3, "wait"))
	text, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(draft.Close(), os.Rename(draft.Name(), noted.File(path))); err != nil {
		t.Fatal(err)
	}
	if err := <-disposed; !errors.Is(err, ErrNoted) || !isThere(path) {
		t.Errorf("%v", err)
	}
}

// TestPipedRecording: what came from standard input lies in a file that goes
// with the program, and so would its notes.
func TestPipedRecording(t *testing.T) {
	piped := filepath.Join(os.TempDir(), "midwire-notebooktest.jsonl")
	kept := filepath.Join(t.TempDir(), "midwire-1.jsonl")
	for _, tt := range []struct {
		path  string
		piped bool
		keeps bool
	}{
		{piped, true, false},
		{kept, true, true}, // its name is alike, it lies elsewhere
		{kept, false, true},
	} {
		b := In(t.TempDir(), func(string) string { return tt.path }, tt.piped)
		_, err := b.Save("a", commented(1, "x"))
		if tt.keeps != (err == nil) || !tt.keeps && !errors.Is(err, notes.ErrNotKept) {
			t.Errorf("%+v: %v", tt, err)
		}
		if isThere(noted.File(tt.path)) != tt.keeps {
			t.Errorf("%+v: the file of notes is there: %v", tt, isThere(noted.File(tt.path)))
		}
		n, err := b.Load("a")
		if err != nil || (n.Total() == 1) != tt.keeps {
			t.Errorf("%+v: %d notes, %v", tt, n.Total(), err)
		}
	}
}

// TestDeleteSaysWhatIsLeft: a recording that is gone already, and notes that
// stay although their recording is deleted.
func TestDeleteSaysWhatIsLeft(t *testing.T) {
	path := recorded(t)
	b := In(filepath.Dir(path), func(string) string { return path }, false)
	inTheWay := filepath.Join(noted.File(path), "x")
	if err := os.MkdirAll(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Load("a"); err == nil || !strings.Contains(err.Error(), "the file is unchanged") {
		t.Errorf("a folder for notes: %v", err)
	}
	if _, err := b.Save("a", commented(1, "x")); err == nil || !isThere(inTheWay) {
		t.Errorf("a folder is replaced: %v", err)
	}
	if err := b.Delete("a", path); err == nil || !strings.Contains(err.Error(), "but not its notes") {
		t.Errorf("%v", err)
	}
	if _, _, _, err := b.Find("a"); err == nil {
		t.Error("a deleted recording is found")
	}
	if err := b.Delete("a", path); err == nil || !strings.Contains(err.Error(), "nothing was deleted") {
		t.Errorf("deleted twice: %v", err)
	}
}
