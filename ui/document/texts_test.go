package document

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/session/safe"
	"midwire/session/words"
	"midwire/session/words/wordstest"
	"midwire/ui/internal/scenes"
	"midwire/ui/term"
)

// hit is what a hit of a search has under it.
func hit(d *Doc, f *Search, k int) string {
	var b strings.Builder
	for i, s := range f.Hits[k] {
		line := &d.Lines[f.lines[k]+i]
		pad := max(0, line.goes-1)
		b.WriteString(line.Text()[s.from-pad : s.to-pad])
	}
	return b.String()
}

// TestSearchInAllAlphabets: what is looked for is found where it stands, in any
// case and whatever stands before it.
func TestSearchInAllAlphabets(t *testing.T) {
	for _, s := range wordstest.Valid() {
		s = strings.NewReplacer("\n", "", "\r", "").Replace(s)
		for _, w := range []int{12, 40, Unbroken} {
			d := bodyDoc(s+" Foundẞ "+s+"FOUNDẞ", w)
			f := Search{text: "foUNDẞ"}
			f.In(d)
			if len(f.Hits) != 2 || !words.Equal(hit(d, &f, 0), f.text) || !words.Equal(hit(d, &f, 1), f.text) {
				t.Errorf("%d cells: %q has %d hits", w, s, len(f.Hits))
			}
		}
	}
}

// FuzzTexts: whatever a payload is and whatever is looked for, a hit is what was
// looked for, and a line has as many cells as there are.
func FuzzTexts(f *testing.F) {
	for i, s := range wordstest.Texts() {
		f.Add(s, "client", 8+i)
		f.Add("İ the Client "+s, s[:min(len(s), 1+i%6)], 120-i)
	}
	for i, s := range wordstest.JSON() {
		f.Add("["+s+"]", s[1:min(len(s), 6)], 8+i)
	}
	th, sg := term.Coloured(true), term.Unicode()
	sc := &term.Screen{Theme: &th, Glyphs: &sg}
	f.Fuzz(func(t *testing.T, text, want string, w int) {
		if len(text) > 4<<10 || w < 8 || w > 200 {
			return
		}
		d := bodyDoc(text, w)
		search := Search{text: want}
		search.In(d)
		for k := range search.Hits {
			if got := hit(d, &search, k); !words.Equal(got, want) {
				t.Fatalf("%q is taken for %q", got, want)
			}
		}
		var v Viewer
		v.Accept(*d, true)
		v.Look(want)
		for range 3 {
			for _, line := range v.Draw(w+1, 50, sc) {
				if fault := scenes.Fault(line, w+1); fault != "" {
					t.Fatal(fault)
				}
			}
			v.NextHit(1)
		}
		if got := Readable(text); utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Fatalf("%q is readable as %q", text, got)
		}
		ReadableJSON(text)
		if n := Fit(safe.Marked(text), w); n < 0 || n > len(safe.Marked(text)) {
			t.Fatalf("%d bytes fit", n)
		}
		if quoted, err := json.Marshal(text); err == nil {
			jsonDoc(`{"mimeType":`+string(quoted)+`,"data":`+string(quoted)+`}`, w).All(sc, w, 0)
		}
	})
}
