package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"
)

// spellings are the ways in which servers and what stands between repeat a text.
func spellings(s string) map[string]string {
	quoted, _ := json.Marshal(s)
	twice, _ := json.Marshal(string(quoted))
	var ascii, percent strings.Builder
	for _, r := range s {
		if r < 0x80 && r != '/' && r != '"' && r != '\\' {
			ascii.WriteRune(r)
		} else if r > 0xffff {
			ascii.WriteString(`\ud83d\uDE00`)
		} else {
			ascii.WriteString(`\u00` + hex.EncodeToString([]byte{byte(r)}))
		}
	}
	for _, c := range []byte(s) {
		percent.WriteString("%" + hex.EncodeToString([]byte{c}))
	}
	return map[string]string{
		"plain": s, "JSON": string(quoted), "JSON in JSON": string(twice), "ASCII": ascii.String(),
		"ASCII in JSON": strings.ReplaceAll(ascii.String(), `\`, `\\`), "slashes": strings.ReplaceAll(string(quoted), "/", `\/`),
		"a query": url.QueryEscape(s), "a path": url.PathEscape(s), "percent": percent.String(),
		"percent twice": strings.ReplaceAll(percent.String(), "%", "%25"), "HTML": html.EscapeString(s),
		"base64": base64.StdEncoding.EncodeToString([]byte(s)), "base64 of a field": base64.URLEncoding.EncodeToString([]byte("Bearer " + s)),
		"base64 of a line": base64.StdEncoding.EncodeToString([]byte("x-api-key: " + s + "\r\n")),
	}
}

// TestHide: a secret is hidden in every spelling, and nothing around it.
func TestHide(t *testing.T) {
	for _, secret := range []string{"pä/ss\"w\\rd=1", "tok/en+1 <&>", "ab/d", "correct-horse-battery", "😀secret", "100%25"} {
		h := Hide([]string{secret, "abc"})
		for name, text := range spellings(secret) {
			if strings.HasPrefix(name, "base64") && len(secret) < 5 || name == "ASCII" && strings.Contains(secret, "%") {
				continue
			}
			got := h.Text("<<" + text + ">> abc")
			if !strings.Contains(got, "redacted") || !strings.HasPrefix(got, "<<") || !strings.HasSuffix(got, ">> abc") || strings.Contains(got, text) {
				t.Errorf("%s as %s, %s: %s", secret, name, text, got)
			}
		}
	}
	if got := Hide([]string{"abc", ""}).Text("abc"); got != "abc" {
		t.Errorf("what is short is hidden: %s", got)
	}
	if got := Hide([]string{"12345"}).Text(`{"a": 12345,"b":"x12345"}`); got != `{"a": "redacted","b":"xredacted"}` {
		t.Error(got)
	}
	if got := Hide([]string{"pass", "password"}).Text("my password, pass\\u0077ord"); got != "my redacted, redacted" {
		t.Error(got)
	}
}

// TestShowURL: of a URL people see neither a login nor the values of parameters.
func TestShowURL(t *testing.T) {
	for raw, want := range map[string]string{
		"https://h:1/mcp": "https://h:1/mcp",
		"https://u:p4ssword@h/mcp?k=v1&flag&x=#frag": "https://redacted@h/mcp?k=redacted&redacted&x=",
		"https://h/mcp?api_key=s3cret-1":             "https://h/mcp?api_key=redacted",
	} {
		u, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := ShowURL(u); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	u, _ := url.Parse("https://u:p4ssword@h/mcp?api_key=abcd&format=json&k=0123456789ab&page=2")
	if got := strings.Join(InURL(u), " "); got != "p4ssword abcd abcd 0123456789ab 0123456789ab" {
		t.Error(got)
	}
}

// TestInHeader: the credential is one with and without its scheme, of Basic also what that
// encodes; what every client says is none.
func TestInHeader(t *testing.T) {
	got := strings.Join(InHeader(map[string][]string{
		"authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("user:pass-1"))}, "Accept": {"application/json"}, "cookie": {"a=session-1; b=two"},
	}), " ")
	for _, want := range []string{"user:pass-1", "pass-1", "session-1", "two"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
	if strings.Contains(got, "json") {
		t.Error(got)
	}
}

func FuzzHide(f *testing.F) {
	for _, text := range spellings("pä/ss\"w\\rd=1") {
		f.Add("pä/ss\"w\\rd=1", text)
	}
	f.Add("a%25b", "a%2525b&#x10ffff;\\ud83d\\u")
	f.Fuzz(func(t *testing.T, secret, text string) {
		h := Hide([]string{secret})
		got := h.Text(text + secret + text)
		for part := range strings.SplitSeq(got, plainMask) {
			if len(secret) >= leastHidden && strings.Contains(part, secret) {
				t.Errorf("%q in %q: %q", secret, text, got)
			}
		}
	})
}
