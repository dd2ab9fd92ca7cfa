package library

import (
	"io"
	"strings"
	"testing"

	"midwire/session/diagnose/rules"
	"midwire/session/encoding"
	"midwire/session/export"
	"midwire/session/record"
	"midwire/session/record/redact"
	"midwire/session/wire"
)

// tokens are made up. Each stands where a recording keeps it, as data.
var tokens = []string{
	"ghp_a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5a1B2c3", "sk-proj-a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5", "xoxb-123456789012-a1B2c3D4e5a1B2c3D4e5", "AKIAIOSFODNN7EXAMPLE",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.a1B2c3D4e5a1B2c3D4e5a1B2c3D4e5",
}

// withTokens is a recording that has them under innocent names in every place.
func withTokens(t *testing.T) string {
	t.Helper()
	all := strings.Join(tokens, " and ")
	w, err := record.Create(t.TempDir(), record.Header{ID: "tokens", Started: begun(), Tap: "http", Label: "run " + tokens[0], Target: "http://h/" + tokens[1]}, record.Options{})
	if err != nil {
		t.Fatal(err)
	}
	add := func(k wire.Kind, d wire.Dir, x uint32, text string) {
		w.Append(&wire.Frame{Kind: k, Dir: d, Conn: 1, X: x, Data: []byte(text)})
	}
	const isJSON = "Content-Type: application/json\r\n"
	add(wire.KindRequest, wire.ToServer, 1, "POST /mcp/"+tokens[3]+" HTTP/1.1\r\nHost: h\r\nX-Note: "+all+"\r\n"+isJSON+"\r\n")
	add(wire.KindBody, wire.ToServer, 1, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tokens[0]+`","arguments":{"text":"`+all+`"}}}`)
	add(wire.KindResponse, wire.ToClient, 1, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, br\r\n"+isJSON+"\r\n")
	add(wire.KindBody, wire.ToClient, 1, string(encoding.Parse("gzip, br").Encode([]byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`+all+`"}]}}`))))
	add(wire.KindRequest, wire.ToServer, 2, "POST /mcp HTTP/1.1\r\nHost: h\r\n"+isJSON+"\r\n")
	add(wire.KindBody, wire.ToServer, 2, `{"jsonrpc":"2.0","id":1,"method":"`+tokens[2]+`"}`)
	add(wire.KindResponse, wire.ToClient, 2, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
	add(wire.KindEvent, wire.ToClient, 2, `data: {"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"`+all+`"}}`+"\n\n")
	add(wire.KindRaw, wire.ToClient, 0, all)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Path()
}

// What looks like a token is in no export, whatever its name is.
func TestTokensAreNotGivenAway(t *testing.T) {
	path := withTokens(t)
	for _, format := range export.Formats() {
		text := exported(t, path, format, record.Options{}, true)
		for _, token := range tokens {
			if at := strings.Index(text, token); at >= 0 {
				t.Errorf("%s has %s: …%q", format, token, text[max(at-60, 0):at+20])
			}
		}
		kept := exported(t, path, format, record.Options{Redact: redact.Options{Keep: true}}, true)
		if format != "mermaid" && !strings.Contains(kept, tokens[0]) {
			t.Errorf("asked to keep secrets, %s has none", format)
		}
	}
	f := Files{
		Path: func(string) string { return path }, Home: func() (string, error) { return t.TempDir(), nil },
		Options: func() (record.Options, error) { return record.Options{}, nil },
		Frame: func(_ string, n uint64) (wire.Frame, error) {
			r, err := record.Open(path)
			if err != nil {
				return wire.Frame{}, err
			}
			defer r.Close()
			for one := (wire.Frame{}); r.Next(&one) == nil; {
				if one.N == n {
					one.Data = append([]byte(nil), one.Data...)
					return one, nil
				}
			}
			return wire.Frame{}, io.EOF
		},
	}
	curl, err := f.Curl("tokens", 1)
	again, err2 := f.ReplayLine("tokens", 0)
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	for _, token := range tokens {
		if strings.Contains(curl+again, token) {
			t.Errorf("a command has %s:\n%s\n%s", token, curl, again)
		}
	}
}

// What a recording keeps is said where it is checked, and masked in findings.
func TestTokensAreSaid(t *testing.T) {
	checked, err := Check([]string{withTokens(t)}, rules.All())
	if err != nil {
		t.Fatal(err)
	}
	said := checked[0].HoldsTokens()
	for _, what := range []string{"a GitHub token", "an API key", "a Slack token", "an AWS access key", "a JWT", "places"} {
		if !strings.Contains(said, what) {
			t.Errorf("%q does not speak of %s", said, what)
		}
	}
	// The sum of those in the head, the bodies, also the compressed one, the event
	// and the raw bytes.
	if n := checked[0].Tokens["a JWT"]; n != 5 {
		t.Errorf("%d places hold a JWT", n)
	}
	found := export.Findings(checked[0])
	found = append(found, export.Found{Message: "it said " + tokens[0], Cause: tokens[1], Fix: `send "Authorization: Bearer" again, see http://u:pw@h/`})
	MaskFindings(found, checked, record.Options{})
	for _, e := range found {
		for _, token := range append(tokens, ":pw@") {
			if strings.Contains(e.Message+e.Cause+e.Fix, token) {
				t.Errorf("a finding has %s: %+v", token, e)
			}
		}
	}
	if fix := found[len(found)-1].Fix; !strings.HasPrefix(fix, `send "Authorization: Bearer" again, see http://u:`) {
		t.Errorf("%q", fix)
	}
	if said := (export.Checked{}).HoldsTokens(); said != "" {
		t.Errorf("%q", said)
	}
}
