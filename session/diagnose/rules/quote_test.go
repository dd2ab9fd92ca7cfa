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

// Of a JSON body that is no message, the words are quoted; of all else, what it is.
func TestPlainBody(t *testing.T) {
	for body, want := range map[string]string{
		`{"code":7,"message":"no quota is left"}`:                      "no quota is left",
		`{"error":{"code":-1,"message":"closed"},"message":"outer"}`:   "closed",
		`{"error":"invalid_grant","error_description":"It is spent."}`: "It is spent.",
		` {"type":"about:blank","title":"Gone","detail":"Moved out"}`:  "Moved out",
		`{"title":"Gone","status":410}`:                                "Gone",
		`{"error":"not here"}`:                                         `{"error":"not here"}`,
		`{"message":{"a":1}}`:                                          `{"message":{"a":1}}`,
		`["message"]`:                                                  `["message"]`,
		`message: none`:                                                `message: none`,
		``:                                                             ``,
	} {
		if got := plain(body); got != want {
			t.Errorf("%s: %q", body, got)
		}
	}
}
