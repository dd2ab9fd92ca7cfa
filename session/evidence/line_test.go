package evidence

import (
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/session/words/wordstest"
)

// TestFit: a line is shortened in its quotes alone, at the end of a word, the longest first.
func TestFit(t *testing.T) {
	l := on(Refused).put("search 2×:").at(14).put(" query=").quote("short").put(", after 12.5 ms ").
		quote(strings.Repeat("many words ", 40)).Line
	got := l.Fit(120)
	if len(got) > 120 || !strings.HasPrefix(got, `search 2×: #14 query="short", after 12.5 ms "many words`) || !strings.HasSuffix(got, `many…"`) &&
		!strings.HasSuffix(got, `words…"`) {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if tight := l.Fit(10); !strings.Contains(tight, "#14") || !strings.Contains(tight, "12.5 ms") {
		t.Errorf("a number is cut: %s", tight)
	}
	if whole := l.Text(); strings.Count(whole, "many words") != 40 {
		t.Errorf("the whole is not whole: %s", whole)
	}
	b := Fit([]Line{l, l, {Label: Ended}, {Label: Ended}}, 2, func(Line) int { return 1 })
	if len(b.Lines) != 2 || len(b.Left) != 1 || b.Left[0] != Ended {
		t.Errorf("%d lines, left out %q", len(b.Lines), b.Left)
	}
}

func FuzzFit(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s, s, 80)
	}
	f.Fuzz(func(t *testing.T, one, two string, n int) {
		l := on(Got).put("a ").quote(one).put(" b ").quote(two).Line
		got := l.Fit(n)
		if n > 200 && len(got) > n {
			t.Errorf("%d bytes of %d: %q", len(got), n, got)
		}
		if utf8.ValidString(one) && utf8.ValidString(two) && !utf8.ValidString(got) {
			t.Errorf("a character is cut: %q", got)
		}
	})
}
