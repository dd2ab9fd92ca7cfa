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
		got := judge(s)
		if os.Getenv("UPDATE") != "" {
			updated := "#= " + strings.ReplaceAll(got, "\n", "\n#= ") + "\n" + bareText(string(text))
			if err := os.WriteFile(file, []byte(updated), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got != strings.Join(want, "\n") {
			t.Errorf("%s: got\n%s\nwant\n%s", file, got, strings.Join(want, "\n"))
		}
	}
}

// bareText is a transcript without its verdicts.
func bareText(text string) (rest string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "#= ") {
			rest += line
		}
	}
	return rest
}
