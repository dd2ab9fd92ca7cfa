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
		for got, end := range map[string]string{quote(s): "検…”", quoteLong(s): "検”"} {
			if !utf8.ValidString(got) || !strings.HasSuffix(got, end) || !strings.Contains(got, "…") || len(got) > 280 {
				t.Errorf("%q", got)
			}
		}
	}
}
