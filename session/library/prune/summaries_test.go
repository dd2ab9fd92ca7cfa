package prune

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"midwire/session/library/summary"
	"midwire/session/record"
)

// TestSummariesGoWithRecordings: summaries count, go with their recordings, and
// those that were left behind go too.
func TestSummariesGoWithRecordings(t *testing.T) {
	dir := t.TempDir()
	old := made(t, dir, "old", 9*day, 1000)
	made(t, dir, "bare", time.Hour, 1000)
	young := made(t, dir, "young", time.Hour, 1000)
	left1, foreign := filepath.Join(dir, "gone.summary.json"), filepath.Join(dir, "holiday.summary.json")
	for _, path := range []string{old, young} {
		if _, err := summary.Get(t.Context(), path); err != nil || summary.Size(path) == 0 {
			t.Fatalf("no summary of %s: %v", path, err)
		}
	}
	raw, err := os.ReadFile(summary.File(old))
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{left1: raw, foreign: []byte("not ours")} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rule, err := ParseRule("2d", "")
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(old)
	if err != nil {
		t.Fatal(err)
	}
	want := info.Size() + summary.Size(old)
	if r, err := Run(dir, rule, now, true); err != nil || r.Bytes != want || len(left(t, dir)) != 7 {
		t.Errorf("a dry run: %d bytes, want %d; %v; left %v", r.Bytes, want, err, left(t, dir))
	}
	r, err := Run(dir, rule, now, false)
	if err != nil || r.Bytes != want {
		t.Errorf("%d bytes went, want %d; %v", r.Bytes, want, err)
	}
	stay := []string{"bare.jsonl", "holiday.summary.json", "young.jsonl", "young.summary.json"}
	if got := left(t, dir); !slices.Equal(got, stay) {
		t.Errorf("left %v\nwant %v", got, stay)
	}
	if all, err := record.List(dir); err != nil || len(all) != 2 {
		t.Errorf("%d recordings are listed, %v", len(all), err)
	}
}
