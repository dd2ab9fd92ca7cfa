package sdkwords

import (
	"slices"
	"strings"
	"testing"

	"midwire/session/words/wordstest"
)

// TestWordsAmongAllAlphabets: a phrase is found whatever stands around it.
func TestWordsAmongAllAlphabets(t *testing.T) {
	const phrase = "Unknown tool: nothing"
	want := Find(-32602, phrase)
	if len(want.Phrases) == 0 {
		t.Fatalf("nothing in %q", phrase)
	}
	for _, s := range wordstest.Texts() {
		if strings.ContainsAny(s, "\n\r") {
			continue // a phrase is on one line
		}
		for _, text := range []string{s + " " + phrase, strings.ToUpper(phrase)} {
			if got := Find(-32602, text); len(got.Phrases) == 0 {
				t.Errorf("nothing in %q", text)
			}
		}
		if !SaysUnknown(s+" Unknown Tool "+s) || !SaysUnknownName("Tool "+s+" not found", s) {
			t.Errorf("%q is not said to be unknown", s)
		}
	}
}

// FuzzTexts: whatever is said, what is found in it is in the table, and the same
// each time.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add("Tool "+s+" not found", s)
		f.Add(strings.Repeat("İ", 2100)+"session not found", s) // at the end of what is looked at
	}
	all := Phrases()
	f.Fuzz(func(t *testing.T, text, name string) {
		for _, find := range []func() Found{
			func() Found { return Find(-32602, text, name) },
			func() Found { return Program(name, text) },
		} {
			one, two := find(), find()
			if !slices.Equal(one.Phrases, two.Phrases) {
				t.Fatalf("%q says %v and %v", text, one.Phrases, two.Phrases)
			}
			for _, p := range one.Phrases {
				if !slices.Contains(all, p) {
					t.Fatalf("%q says %v", text, p)
				}
			}
			one.Meanings()
			one.SDKs(400, -32602, true)
		}
		SaysUnknown(text)
		SaysUnknownName(text, name)
	})
}
