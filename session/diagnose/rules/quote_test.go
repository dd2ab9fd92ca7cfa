package rules

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A text from the wire is cut at the end of a character, wherever that is.
func TestQuotesAreCutBetweenCharacters(t *testing.T) {
	for before := range 4 {
		s := strings.Repeat("x", before) + strings.Repeat("検", 100)
		for _, got := range []string{quote(s), quoteLong(s)} {
			if !utf8.ValidString(got) || !strings.HasSuffix(got, "検…”") {
				t.Errorf("%q", got)
			}
		}
	}
}
