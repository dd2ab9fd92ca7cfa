package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// FuzzRules feeds lines of transcripts in any order: no rule panics, and the
// same frames have the same findings.
func FuzzRules(f *testing.F) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	for i, file := range files {
		if i%4 != 0 {
			continue // TestFixtures reads all of them
		}
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	all := All()
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 16<<10 {
			return
		}
		var s transcript.Transcript
		for line := range strings.Lines(text) {
			_ = s.Line(strings.TrimSuffix(line, "\n")) // what is no line of a transcript is left out
		}
		find := func() string {
			tr, c := diagnose.New(session.Options{Tap: s.Tap}, all)
			for _, frame := range s.Frames {
				tr.Apply(frame)
			}
			c.Finish()
			return summary(c.Findings())
		}
		if one, two := find(), find(); one != two {
			t.Fatalf("the same frames have other findings:\n%s\n%s", one, two)
		}
	})
}
