package redact

import (
	"strings"
	"testing"

	"midwire/fixtures/effort"
	"midwire/session/wire"
)

// Text that looks like a secret again and again is read once, and not once for
// every time: with these sizes the difference is one of minutes.
func TestHostileText(t *testing.T) {
	const size = 256 << 10
	for _, piece := range effort.Sample(3, []string{
		`{"token":`, `{"token":{"a":1,`, `"token":[`, `"token":"`, `"token":"\`, `\"token\":\"`, `\u0022token\u0022:\u0022`, `\\u0022token\\u0022:`, `\u0022`, `"name":"token","`, `"auth":{"auth":[`,
		"http://", "http://a@", "://u:p", "?token=", "&token=", "auth: a b c d ", "auth: <", "auth=", "token='", `token="`, "--token ", "--token '", "a:", `":`, `\":`, `"\\`, "\\", "Cookie: a=b;",
		"sk-", "eyJ", "eyJ-", "eyJaaaaaaaaa.", "ghp_", "AKIA", "AIza", "-----BEGIN", "-----BEGIN PRIVATE KEY-----", "xoxb-", "name=\"token\"", "--b\r\nname=token\r\n\r\n", "token=a&", "%74oken=&", "\n", "\ndata:",
		`"token" : `, "*", "<", "${", "authorization: Bearer ",
	}) {
		text := []byte(strings.Repeat(piece, size/len(piece)))
		r := New(Options{Shapes: true}, testKey)
		for _, k := range []wire.Kind{wire.KindLine, wire.KindBody, wire.KindStderr, wire.KindRequest, wire.KindRaw, wire.KindEvent} {
			r.Frame(&wire.Frame{Kind: k, Data: text})
			for _, part := range []wire.Part{wire.More, wire.More, wire.Whole} {
				r.Frame(&wire.Frame{Kind: k, Data: text[:size/2], Part: part, X: 1})
			}
		}
		r.Frame(&wire.Frame{Kind: wire.KindRequest, X: 2, Data: []byte("POST / HTTP/1.1\r\nContent-Type: multipart/form-data\r\n\r\n")})
		r.Frame(&wire.Frame{Kind: wire.KindBody, X: 2, Data: text})
	}
}
