package summary

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOutcome: what came of a replay stands beside its recording, comes with its
// summary, made or kept, and goes with the recording.
func TestOutcome(t *testing.T) {
	path := recorded(t, t.TempDir(), "stdio-trouble")
	if s, err := Get(context.Background(), path); err != nil || s.Outcome != nil {
		t.Fatalf("%+v %v", s, err)
	}
	if err := KeepOutcome(path, Outcome{Fixed: 2, Changed: 19}); err != nil {
		t.Fatal(err)
	}
	s, ok := Read(path)
	if !ok || s.Outcome == nil || s.Outcome.Fixed != 2 || s.Outcome.Changed != 19 {
		t.Fatalf("%+v %v", s, ok)
	}
	for _, bad := range []string{"", "{}", `{"midwire_replay":1,"fixed":-1}`, `{"midwire_replay":2}`, "no"} {
		if err := os.WriteFile(OutcomeFile(path), []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := ReadOutcome(path); o != nil {
			t.Errorf("%q is read as %+v", bad, o)
		}
	}
	if err := KeepOutcome(path, Outcome{Same: 1}); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(path), "gone.replay.json")
	if err := os.Rename(OutcomeFile(path), other); err != nil {
		t.Fatal(err)
	}
	if err := Sweep(filepath.Dir(path), time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(other); err == nil {
		t.Error("what is left behind stays")
	}
}
