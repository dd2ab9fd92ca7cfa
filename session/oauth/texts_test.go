package oauth

import (
	"strings"
	"testing"

	"midwire/session/words/wordstest"
)

func TestChallengeInAllAlphabets(t *testing.T) {
	for _, s := range wordstest.Texts() {
		s = strings.ReplaceAll(s, `"`, "")
		if got := ChallengeParam(`Bearer realm="`+s+`", RESOURCE_METADATA="`+s+`x"`, "resource_metadata"); got != s+"x" {
			t.Errorf("behind %q: %q", s, got)
		}
	}
}

// FuzzTexts: a parameter is a part of its challenge.
func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(`Bearer realm="`+s+`", Scope="a"`, "scope", "https://h/"+s)
		f.Add(s+"=x", "scope", "https://h"+ServerWellKnown+"/"+s)
	}
	f.Fuzz(func(t *testing.T, challenge, name, url string) {
		if name != "" {
			if value := ChallengeParam(challenge, name); !strings.Contains(challenge, value) {
				t.Fatalf("%s of %q is %q", name, challenge, value)
			}
		}
		if id := Identifier(url); id != "" {
			_, _ = SameIssuer(id, url)
		}
		MissingScopes(challenge, name)
	})
}
