package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
)

// TestHTTPVerdicts judges sessions over HTTP: lines that begin with #= are the verdicts of a file.
func TestHTTPVerdicts(t *testing.T) {
	files, _ := filepath.Glob("testdata/verdicts/*.txt")
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
		var want []string
		for line := range strings.Lines(string(text)) {
			if says, ok := strings.CutPrefix(line, "#= "); ok {
				want = append(want, strings.TrimSuffix(says, "\n"))
			}
		}
		if got := judge(s); got != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, strings.Join(want, "\n"))
		}
	}
}
