package redact

import (
	"maps"
	"strings"
	"testing"

	"midwire/session/encoding"
	"midwire/session/wire"
)

// realTokens are made up, in the shapes that issuers give theirs.
func realTokens() map[string]string {
	alnum := strings.Repeat("a1B2c3D4e5", 8)
	return map[string]string{
		"ghp_" + alnum[:36]: "a GitHub token", "gho_" + alnum[:36]: "a GitHub token", "github_pat_" + alnum[:22] + "_" + alnum[:50]: "a GitHub token",
		"glpat-" + alnum[:20]: "a GitLab token", "npm_" + alnum[:36]: "an npm token", "hf_" + alnum[:34]: "a Hugging Face token",
		"sk-" + alnum[:48]: "an API key", "sk-proj-" + alnum[:40] + "-x_y": "an API key", "sk-ant-api03-" + alnum[:60]: "an API key", "sk_live_" + alnum[:24]: "a Stripe key",
		"xoxb-123456789012-" + alnum[:24]: "a Slack token", "xoxp-1-2-3-" + alnum[:20]: "a Slack token", "AKIAIOSFODNN7EXAMPLE": "an AWS access key", "AIza" + alnum[:35]: "a Google API key",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + alnum[:43]:                                             "a JWT",
		`-----BEGIN RSA PRIVATE KEY-----\n` + alnum + `\n` + alnum + `\n-----END RSA PRIVATE KEY-----\n`: "a private key",
	}
}

// Wherever a token stands it is found and masked in what is given away, and the
// rest of the payload is what it was. A recording keeps it.
func TestTokens(t *testing.T) {
	for token, what := range realTokens() {
		core := strings.TrimSuffix(token, `\n`)
		for _, around := range []string{`{"text":"*"}`, `{"text":"see *, and * again"}`, `{"text":"a\n*\nb"}`, `{"t":"{\"x\":\"*\"}"}`, `["*"]`, `https://h/*/x`, `curl -d '*'`, "*", `{"a":"\u0027*"}`} {
			text := strings.ReplaceAll(around, "*", token)
			n := 0
			findTokens([]byte(text), func(found string) {
				if n++; found != what {
					t.Errorf("%s is taken for %s", token, found)
				}
			})
			if want := strings.Count(around, "*"); n != want {
				t.Errorf("%d of %d found in %s", n, want, text)
			}
			m := New(Options{Shapes: true}, testKey)
			f := wire.Frame{Kind: wire.KindLine, Data: []byte(text)}
			got, masked := m.Frame(&f)
			if want := strings.ReplaceAll(strings.ReplaceAll(around, "*", token), core, "*"); plain(got) != want || !masked {
				t.Errorf("%s becomes %s", text, got)
			}
			if got, masked := New(Options{}, testKey).Frame(&f); masked && !strings.Contains(text, "://") {
				t.Errorf("recorded as %s", got)
			}
		}
	}
}

// What only begins like a token is none.
func TestNoTokens(t *testing.T) {
	for _, text := range []string{
		"ghp_", "ghp_short", "xghp_a1B2c3D4e5a1B2c3D4e5", "sk-", "sk-button-primary-large-outlined", "risk-a1B2c3D4e5a1B2c3D4e5", "task-12345678901234567890", "sk-spinner-double-bounce1",
		"AKIA", "AKIAlowercase0000000", "AKIAIOSFODNN7EXAMPLEEXTRA", "AIza", "eyJ", "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.b", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"-----BEGIN PUBLIC KEY-----", "npm_config_registry", "npm_lifecycle_event", "hf_hub_download", "glpat-", "xoxb-", "xapp-", "ghs_rate", "eyJust.some.words",
	} {
		findTokens([]byte(text), func(what string) { t.Errorf("%q is taken for %s", text, what) })
	}
}

func FuzzTokens(f *testing.F) {
	for token := range realTokens() {
		f.Add([]byte(`{"a":"` + token + `"}`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := New(Options{Shapes: true}, testKey)
		got, masked := m.Frame(&wire.Frame{Kind: wire.KindLine, Data: data})
		if wire.Valid(data) && !wire.Valid(got) {
			t.Fatalf("%s becomes invalid: %s", data, got)
		}
		if !masked && string(got) != string(data) {
			t.Fatalf("%s becomes %s and nothing was masked", data, got)
		}
	})
}

// What looks like a token is counted wherever it stands, in compressed bodies
// too, so that who gives a recording away is told.
func TestFinder(t *testing.T) {
	token := "ghp_" + strings.Repeat("a1B2c3D4e5", 4)[:36]
	body := `{"a":"` + token + `","b":"AKIAIOSFODNN7EXAMPLE"}`
	for _, coding := range []string{"", "gzip"} {
		data, field := []byte(body), ""
		if coding != "" {
			data, field = encoding.Parse(coding).Encode(data), "Content-Encoding: "+coding+"\r\n"
		}
		var found Finder
		for _, f := range []wire.Frame{
			{Kind: wire.KindLine, Data: []byte("nothing here")},
			{Kind: wire.KindResponse, Dir: wire.ToClient, X: 1, Data: []byte("HTTP/1.1 200 OK\r\n" + field + "\r\n")},
			{Kind: wire.KindBody, Dir: wire.ToClient, X: 1, Data: data},
			{Kind: wire.KindStderr, Data: []byte(token)},
		} {
			found.Frame(&f)
		}
		if want := map[string]int{"a GitHub token": 2, "an AWS access key": 1}; !maps.Equal(found.Found, want) {
			t.Errorf("%q: %v", coding, found.Found)
		}
	}
}
