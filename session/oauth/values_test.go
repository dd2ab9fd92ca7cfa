package oauth

import (
	"strings"
	"testing"
)

func TestChallengeParam(t *testing.T) {
	for _, tt := range []struct{ challenge, name, want string }{
		{`Bearer resource_metadata="https://h/m", scope="a b"`, "scope", "a b"},
		{`Bearer scope=a, error=invalid_token`, "scope", "a"},
		{`Bearer error=invalid_token`, "error", "invalid_token"},
		{`Bearer error_description="no", error="x"`, "error", "x"},
		{`Bearer xscope="a"`, "scope", ""},
		{`Basic`, "scope", ""},
		{`Bearer SCOPE = "a"`, "scope", "a"},
	} {
		if got := ChallengeParam(tt.challenge, tt.name); got != tt.want {
			t.Errorf("%s of %s: %q, not %q", tt.name, tt.challenge, got, tt.want)
		}
	}
}

func TestIdentifier(t *testing.T) {
	for at, want := range map[string]string{
		"https://h/.well-known/oauth-authorization-server":     "https://h",
		"https://h/.well-known/oauth-authorization-server/t/1": "https://h/t/1",
		"https://h/.well-known/openid-configuration/t":         "https://h/t",
		"https://h/t/.well-known/openid-configuration":         "https://h/t",
		"https://h/a/.well-known/openid-configuration/b":       "",
		"https://h/metadata":                                   "",
		"/.well-known/openid-configuration":                    "",
	} {
		if got := Identifier(at); got != want {
			t.Errorf("%s: %q, not %q", at, got, want)
		}
	}
}

func TestSameIssuer(t *testing.T) {
	for _, tt := range []struct {
		a, b        string
		same, slash bool
	}{
		{"https://h", "https://h", true, false},
		{"https://h", "https://h/", false, true},
		{"https://h", "https://i", false, false},
		{"https://h", "https://H", false, false},
	} {
		if same, slash := SameIssuer(tt.a, tt.b); same != tt.same || slash != tt.slash {
			t.Errorf("%s %s: %v %v", tt.a, tt.b, same, slash)
		}
	}
}

func TestMissingScopes(t *testing.T) {
	if got := strings.Join(MissingScopes("a b c", "c a"), " "); got != "b" {
		t.Errorf("%q", got)
	}
}
