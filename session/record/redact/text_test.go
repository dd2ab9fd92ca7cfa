package redact

import "testing"

// TestText: an error keeps its words, and loses the credentials of what it quotes.
func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"/etc/passwd: not a midwire recording":                     "/etc/passwd: not a midwire recording",
		"open /home/me/token: permission denied":                   "open /home/me/token: permission denied",
		`Post "http://127.0.0.1:1/mcp?key=abc": dial tcp: refused`: `Post "http://127.0.0.1:1/mcp?key=redacted": dial tcp: refused`,
		`Get "https://me:hunter22@host/x": EOF`:                    `Get "https://me:redacted@host/x": EOF`,
		`it answers 401: {"token":"abcdef"}`:                       `it answers 401: {"token":"redacted"}`,
		"nats: me:hunter22@host:4222: no servers":                  "nats: me:redacted@host:4222: no servers",
	} {
		if got := Text(in); got != want {
			t.Errorf("%s\n%s, want\n%s", in, got, want)
		}
	}
}
