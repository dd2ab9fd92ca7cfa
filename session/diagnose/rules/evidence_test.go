package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
)

// TestEvidence shows what was seen in the first session of a file, whose lines that begin with #=
// are those of the block.
func TestEvidence(t *testing.T) {
	files, _ := filepath.Glob("testdata/verdicts/evidence/*.txt")
	if len(files) == 0 {
		t.Fatal("no transcripts")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := transcript.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		tr, c := finished(s)
		var got strings.Builder
		for _, l := range c.Evidence(tr.Session(0)) {
			got.WriteString("#= " + l.Label + " " + l.Fit(160) + "\n")
		}
		rest := bareText(string(text))
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(file, []byte(got.String()+rest), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got.String()+rest != string(text) {
			t.Errorf("%s: got\n%s", file, got.String())
		}
	}
}
