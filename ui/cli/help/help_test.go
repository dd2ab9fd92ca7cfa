package help

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestNarrow: prose is filled, of flags and tables the last column is, examples can be
// pasted, and what is short stays as it is.
func TestNarrow(t *testing.T) {
	word := func(n int) string { return strings.TrimSpace(strings.Repeat("wörd ", n)) }
	x := strings.Repeat("x", 40)
	for in, want := range map[string]string{
		"One.\nTwo.":                        "One. Two.\n",
		"Usage:\n  midwire show":            "Usage:\n  midwire show\n",
		word(30):                            word(16) + "\n" + word(14) + "\n",
		"Flags:\n  -o, --out   " + word(20): "Flags:\n  -o, --out   " + word(13) + "\n              " + word(7) + "\n",
		"Examples:\n  midwire show " + x + " --filter " + x: "Examples:\n  midwire show " + x + " --filter \\\n      " + x + "\n",
	} {
		var out strings.Builder
		narrow(&out, in)
		if out.String() != want {
			t.Errorf("%q:\n%s, want\n%s", in, out.String(), want)
		}
		for l := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(l, "\n")); n > helpColumns {
				t.Errorf("%d columns: %s", n, l)
			}
		}
	}
}
