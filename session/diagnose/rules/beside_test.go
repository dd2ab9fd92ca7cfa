package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// What is found at a tap is what is found there without another one beside it:
// every fixture is checked beside that of the next rule.
func TestBeside(t *testing.T) {
	files, err := filepath.Glob("testdata/*/fires*.txt")
	if err != nil || len(files) < len(All()) {
		t.Fatal(files, err)
	}
	var texts []*transcript.Transcript
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		front, _, _ := strings.Cut(string(text), "\n=== behind")
		s, err := transcript.Parse(front)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, s)
	}
	for i, s := range texts {
		next := texts[(i+1)%len(texts)]
		alone, both := briefs(s), briefs(s, next)
		if !slices.Equal(both[0], alone[0]) {
			t.Errorf("%s beside %s: %q, alone %q", files[i], files[(i+1)%len(files)], both[0], alone[0])
		}
		if alone = briefs(next); !slices.Equal(both[1], alone[0]) {
			t.Errorf("%s beside %s: %q, alone %q", files[(i+1)%len(files)], files[i], both[1], alone[0])
		}
	}
}

// briefs are the findings of taps that stand beside each other, in a line each,
// with the numbers of frames of their own. Their frames alternate.
func briefs(of ...*transcript.Transcript) [][]string {
	tr, c := diagnose.New(session.Options{}, All())
	trackers, checkers := []*session.Tracker{tr}, []*diagnose.Checker{c}
	for range of[1:] {
		tr, c := c.Beside(session.Options{})
		trackers, checkers = append(trackers, tr), append(checkers, c)
	}
	own := []uint64{0} // by number
	for at := 0; ; at++ {
		left := false
		for k, s := range of {
			if at >= len(s.Frames) {
				continue
			}
			left = true
			f := *s.Frames[at]
			own, f.N = append(own, f.N), uint64(len(own))
			trackers[k].Apply(&f)
		}
		if !left {
			break
		}
	}
	for _, c := range checkers {
		c.Finish()
	}
	out := make([][]string, len(of))
	for _, f := range c.Findings() {
		one := *f
		one.Frames = slices.Clone(f.Frames)
		for i, n := range f.Frames {
			one.Frames[i] = own[n]
		}
		out[f.Tap] = append(out[f.Tap], brief(&one))
	}
	return out
}
