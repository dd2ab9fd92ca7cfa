package noted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestRead: a recording without notes has none, and a file that is no notes, or is too big
// to be, is said to be as it was.
func TestRead(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "a.b.jsonl")
	if want := strings.TrimSuffix(rec, ".jsonl") + ".notes.json"; File(rec) != want {
		t.Errorf("%s, want %s", File(rec), want)
	}
	if n, err := Read(rec); err != nil || n == nil {
		t.Errorf("%v %v", n, err)
	}
	for what, text := range map[string]string{"text": "no notes", "cut": `{"version":1,`, "huge": strings.Repeat(" ", MaxSize+1)} {
		if err := os.WriteFile(File(rec), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(rec); err == nil || !strings.Contains(err.Error(), "the file is unchanged") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
