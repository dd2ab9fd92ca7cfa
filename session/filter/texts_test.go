package filter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/session/words/wordstest"
)

// TestTermsFindAllAlphabets: what is written in a filter is found in any case and
// beside any text, in texts and in heads.
func TestTermsFindAllAlphabets(t *testing.T) {
	for _, s := range wordstest.Valid() {
		if strings.ContainsAny(s, "\n\r") || strings.TrimSpace(s) != s || s == "" {
			continue
		}
		for _, text := range []string{s, "in " + s + " it", strings.Repeat("İ", 9) + s} {
			if !TextMatch(&Node{Op: ":", Value: s})(text) {
				t.Errorf("%q is not in %q", s, text)
			}
		}
		head := []byte("GET /" + s + " HTTP/1.1\r\nX-İ: y\r\nServer: İ " + s + " END\r\n\r\n")
		for key, value := range map[string]string{"http": s, "header": "server=" + s} {
			if strings.Contains(s, "=") || !HeadMatch(&Node{Key: key, Op: ":", Value: value})(head) {
				t.Errorf("%s:%q is not in %q", key, value, head)
			}
		}
		if !HeadMatch(&Node{Key: "header", Op: ":", Value: "SERVER=end"})(head) {
			t.Errorf("the end is not found in %q", head)
		}
		if !TextMatch(&Node{Op: "=", Value: "GRÖẞE " + s})("gröẞe " + s) {
			t.Errorf("%q is not itself", s)
		}
	}
}

// FuzzTexts: a term that is exactly a text is also in it, and a filter of quoted
// text looks for that text.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s, "Error", 3)
		f.Add("Error: "+s, s, 1)
	}
	f.Fuzz(func(t *testing.T, text, value string, at int) {
		exact, within := TextMatch(&Node{Op: "=", Value: value}), TextMatch(&Node{Op: ":", Value: value})
		if exact(text) && !within(text) || !exact(value) || !within(value) {
			t.Fatalf("%q in %q: %v, %v", value, text, exact(text), within(text))
		}
		for _, key := range []string{"http", "header"} {
			HeadMatch(&Node{Key: key, Op: ":", Value: value})([]byte(text))
		}
		n, err := Parse("tool=" + Quote(value))
		if utf8.ValidString(value) && value != "" && (err != nil || n.Value != value) {
			t.Fatalf("%q is quoted as %s and read as %v, %v", value, Quote(value), n, err)
		}
		for _, l := range []Language{Messages(), Sessions(), atGate} {
			if spot := l.WordAt(text, at); spot.From < 0 || spot.To < spot.From || spot.To > len(text) {
				t.Fatalf("at %d of %q: %+v", at, text, spot)
			}
			_, _ = l.Parse(text)
		}
		_, _ = ParseAtGate(text)
	})
}
