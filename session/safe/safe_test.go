package safe

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/words/wordstest"
)

func TestLine(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"ascii", "tools/call", "tools/call"},
		{"escape", "\x1b[2J", "␛[2J"},
		{"osc 52", "\x1b]52;c;eA==\x07", "␛]52;c;eA==␇"},
		{"line breaks", "a\r\nb", "a␍␊b"},
		{"nul and delete", "\x00\x7f", "␀␡"},
		{"tab", "a\tb", "a   b"},
		{"c1", "a\u009bb", `a\u009bb`},
		{"raw c1", "a\x9bb", `a\x9bb`},
		{"bidi", "a\u202eb\u2066", `a\u202eb\u2066`},
		{"tags", "x\U000e0041", `x\U000e0041`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"separators", "a\u2028b", `a\u2028b`},
		{"nbsp", "a\u00a0b", "a b"},
		{"literal escape", `\u001b`, `\u001b`},
		{"cjk", "検索", "検索"},
		{"family", "👩\u200d👧", `👩\u200d👧`},
		{"skin tone", "👍🏽", `👍\U0001f3fd`},
		{"coloured form", "❤\ufe0f.", "❤."},
		{"joiner alone", "a\u200db", `a\u200db`},
		{"marks", "e\u0301\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301\u0301" + `\u0301`},
		{"leading mark", "\u0301a", `\u0301a`},
		{"selector smuggling", "a\U000e0101", `a\U000e0101`},
		{"hangul filler", "\u3164", `\u3164`},
		{"private use", "\ue000", `\ue000`},
		{"wide space", "検\u3000索", "検  索"},
		{"form of a letter", "a\ufe0f", `a\ufe0f`},
		{"braille blank", "\u2800", `\u2800`},
	} {
		if got := Clean(tt.in); got != tt.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", tt.name, tt.in, got, tt.want)
		}
	}
}

func TestLineIsCut(t *testing.T) {
	got := string(Line(strings.Repeat("ä", maxLine)))
	if len(got) > maxLine+4 || !strings.HasSuffix(got, "ä…") {
		t.Errorf("long line ends in %q, length %d", got[len(got)-8:], len(got))
	}
	check(t, got)
}

// TestWholeIsNotCut: what is copied or saved has no limit, unlike a line.
func TestWholeIsNotCut(t *testing.T) {
	long := strings.Repeat("ä", maxLine) + "\x1b[2J"
	if got := Whole(long); got != strings.Repeat("ä", maxLine)+"␛[2J" {
		t.Errorf("it ends in %q, length %d", got[len(got)-8:], len(got))
	}
}

// TestBytesAreALine: the same text as bytes gives the same line, whether it is
// cut or not, and wherever the cut falls in a character.
func TestBytesAreALine(t *testing.T) {
	for _, in := range []string{"", "a\x1b[2J\xff", strings.Repeat("検", maxLine), "x" + strings.Repeat("検", maxLine), "xx" + strings.Repeat("👩", maxLine)} {
		if got, want := Bytes([]byte(in)), Line(in); got != want {
			t.Errorf("%.10q: %d bytes that end in %q, want %d", in, len(got), got[max(0, len(got)-8):], len(want))
		}
	}
}

// TestUnmarkedIsSafeInPieces: a document is shown in pieces of what Marked
// returned, cut anywhere between characters.
func TestUnmarkedIsSafeInPieces(t *testing.T) {
	marked := Marked("a\x1b]52;c;eA==\x07\x01b\x02\u202e検\xff\u0301 ok")
	if got := Unmarked(marked); got != "a␛]52;c;eA==␇␁b␂"+`\u202e検\xff\u0301 ok` {
		t.Errorf("%q", got)
	}
	for at := range marked {
		check(t, string(Unmarked(marked[:at])))
		check(t, string(Unmarked(marked[at:])))
	}
}

func check(t *testing.T, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Fatalf("not UTF-8: %q", out)
	}
	if again := Clean(out); again != out && len(out) < maxLine {
		t.Fatalf("not idempotent: %q becomes %q", out, again)
	}
	if ansi.Strip(out) != out {
		t.Fatalf("holds a control sequence: %q", out)
	}
	for _, r := range out {
		if r != ' ' && unicode.In(r, unicode.C, unicode.Z) {
			t.Fatalf("%U in %q", r, out)
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"", "a\x1b[0m", "\u009b2J", "👩\u200d👧\ufe0f", "e\u0301", "\xff\x9b", "\t\t", "\u0600a", "🇩🇪\u200d🇩🇪"} {
		f.Add(s)
	}
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		check(t, Clean(s))
		check(t, string(Bytes([]byte(s))))
		check(t, string(Unmarked(s)))
		marked := Marked(s)
		bare := strings.NewReplacer("\x01", "", "\x02", "").Replace(marked)
		if len(s) < maxLine && bare != Clean(s) {
			t.Fatalf("marked differs: %q and %q", bare, Clean(s))
		}
		check(t, Clean(bare))
	})
}

func BenchmarkLine(b *testing.B) {
	ascii := strings.Repeat("plain text ", 100)
	b.SetBytes(int64(len(ascii)))
	for b.Loop() {
		Line(ascii)
	}
}

// TestHangul: syllables in letters are put together, whatever of them stands alone is escaped.
func TestHangul(t *testing.T) {
	for text, want := range map[string]string{
		"\u1112\u1161\u11ab\u1100\u1173\u11af": "\ud55c\uae00", "\uac00\u11a8": "\uac01", "\u1100\u1161.": "\uac00.", "\u1112": "\u1112",
		"\u1161x": `\u1161x`, "a\u11ab": `a\u11ab`, "\uac01\u11a8": "\uac01" + `\u11a8`, "\u1112\u1161\u1161": "\ud558" + `\u1161`, "\ud7b0": `\ud7b0`,
	} {
		if got := Clean(text); got != want {
			t.Errorf("%+q is %+q, want %+q", text, got, want)
		}
	}
}
