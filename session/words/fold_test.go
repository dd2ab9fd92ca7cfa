package words

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"midwire/session/words/wordstest"
)

func TestFold(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"plain", "plain"},
		{"Mcp-Session-ID [@`{", "mcp-session-id [@`{"},
		{"ÄÖÜ ΣΊΣΥΦΟΣ ЖУК", "äöü σίσυφοσ жук"},
		{"İstanbul ẞ ȺȾ \u212a\u2126\u212b", "İstanbul ẞ ȺȾ \u212a\u2126\u212b"}, // other lengths in lower case
		{"ı ß ſ Ǆ", "ı ß ſ ǆ"},
		{"\xc4\xb0\xc4A\xffB", "\xc4\xb0\xc4a\xffb"},
		{"A\xed\xa0\x80B", "a\xed\xa0\x80b"}, // a surrogate
	} {
		if got := Fold(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
		if got := FoldBytes([]byte(c.text)); string(got) != c.want {
			t.Errorf("bytes of %q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestFoldKeepsEveryPlace: of all letters there are, none moves another, and
// what is folded stays folded.
func TestFoldKeepsEveryPlace(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		s := "A" + string(r) + "Z"
		got := Fold(s)
		if len(got) != len(s) || got[0] != 'a' || got[len(got)-1] != 'z' || Fold(got) != got || !utf8.ValidString(got) {
			t.Fatalf("%U: %q is folded to %q and %q", r, s, got, Fold(got))
		}
		if low := unicode.ToLower(r); utf8.RuneLen(low) == utf8.RuneLen(r) && got[1:len(got)-1] != string(low) {
			t.Fatalf("%U: %q, want %q in it", r, got, low)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text, part string
		want       int
	}{
		{"", "", 0},
		{"x", "", 0},
		{"", "x", -1},
		{"an Error", "eRROR", 3},
		{"İİİ Error", "error", len("İİİ ")},
		{"\xff\xff Error", "error", 3},
		{"der GROẞE FLUẞ", "fluẞ", len("der GROẞE ")},
		{"ÄRGER", "ärger", 0},
		{"the [client", "THE {CLIENT", -1},
		{"bloc", "block", -1},
		{"blo\u212a", "blok", -1}, // the Kelvin sign is three bytes
		{strings.Repeat("a", 200) + "B", strings.Repeat("A", 100) + "b", 100},
	} {
		if got := Index(c.text, c.part); got != c.want {
			t.Errorf("%q in %q at %d, want %d", c.part, c.text, got, c.want)
		}
		if got := Contains(c.text, c.part); got != (c.want >= 0) {
			t.Errorf("%q in %q: %v", c.part, c.text, got)
		}
	}
	if Capital("") != "" || Capital("the client") != "The client" || Capital("éa") != "éa" {
		t.Error("Capital")
	}
}

func TestFoldCopiesOnlyWhatChanges(t *testing.T) {
	long := strings.Repeat("nothing to fold here, 界 either. ", 8)
	if n := testing.AllocsPerRun(10, func() { _ = Contains(strings.ToValidUTF8(long, ""), "EITHER") }); n > 1 {
		t.Errorf("%v allocations", n)
	}
	if n := testing.AllocsPerRun(10, func() { _ = Fold("nothing to fold here") + Fold("") }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// FuzzWords: whatever a text and a part of it are, offsets are of the text, and
// all ways to look for one agree.
func FuzzWords(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s, "ERROR", 7)
		f.Add("the Client "+s+" the client", s, 3)
	}
	f.Fuzz(func(t *testing.T, s, part string, n int) {
		low := Fold(s)
		if len(low) != len(s) || Fold(low) != low || utf8.ValidString(low) != utf8.ValidString(s) {
			t.Fatalf("%q is folded to %q", s, low)
		}
		if !bytes.Equal(FoldBytes([]byte(s)), []byte(low)) {
			t.Fatalf("%q as bytes is folded to %q", s, FoldBytes([]byte(s)))
		}
		i := Index(s, part)
		if want := strings.Index(low, Fold(part)); i != want {
			t.Fatalf("%q in %q at %d, want %d", part, s, i, want)
		}
		if i >= 0 && utf8.ValidString(part) && utf8.ValidString(s) && !Equal(s[i:i+len(part)], part) {
			t.Fatalf("%q in %q at %d is %q", part, s, i, s[i:i+len(part)])
		}
		if utf8.ValidString(part) && HasPrefix(s, part) != strings.HasPrefix(low, Fold(part)) {
			t.Fatalf("%q begins %q: %v", part, s, HasPrefix(s, part))
		}
		if Equal(s, part) != (low == Fold(part)) || !Equal(s, low) {
			t.Fatalf("%q is %q: %v", s, part, Equal(s, part))
		}
		n = max(0, min(n, 1<<10))
		for _, cut := range []string{Clip(s, n), Line(s, n), Excerpt([]byte(s), n), Ellipsis(s, n), Capital(s)} {
			if utf8.ValidString(s) && !utf8.ValidString(cut) {
				t.Fatalf("%.80q is cut to %q", s, cut)
			}
		}
		if len(Clip(s, n)) > n || strings.Contains(Line(s, n), "\n") {
			t.Fatalf("%.80q is cut to %q and %q", s, Clip(s, n), Line(s, n))
		}
		Holds(s, part)
		_ = Join(s, part)
	})
}
