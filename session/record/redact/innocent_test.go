package redact

import (
	"bytes"
	"os"
	"testing"

	"midwire/session/wire"
)

// Nothing is masked in what holds no secret: lists of tools of real servers,
// metadata of authorization servers, results and arguments of every day.
func TestInnocent(t *testing.T) {
	text, err := os.ReadFile("testdata/innocent.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	check := func(k wire.Kind, data []byte) {
		t.Helper()
		n++
		if got, hit := masked(t, Options{}, &wire.Frame{Kind: k, Data: data}); hit {
			at := bytes.Index(got, []byte(mark))
			t.Errorf("%s: …%s", k, got[max(at-80, 0):min(at+30, len(got))])
		}
	}
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\n")
		if !wire.Valid(line) {
			t.Fatalf("no JSON: %s", line)
		}
		for _, k := range []wire.Kind{wire.KindLine, wire.KindBody, wire.KindStderr, wire.KindGate} {
			check(k, line)
		}
		check(wire.KindEvent, []byte("event: message\ndata: "+string(line)+"\n\n"))
		inString := append(wire.AppendEscaped([]byte(`{"content":[{"type":"text","text":"`), line), `"}]}`...)
		check(wire.KindLine, inString)
		check(wire.KindLine, bytes.ReplaceAll(inString, []byte(`\"`), []byte(`\u0022`)))
	}
	for _, head := range []string{
		"POST /mcp?sessionId=1&cursor=abc&page_token=d HTTP/1.1\r\nHost: h:1\r\nAccept: application/json\r\nMcp-Session-Id: abc\r\nMcp-Next-Token: x\r\nSec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\nIdempotency-Key: a\r\nX-Forwarded-Uri: /mcp?a=b",
		"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer realm=\"token\", error=\"invalid_token\", scope=\"a b\", resource_metadata=\"https://h/.well-known/x?a=b\"\r\nAccess-Control-Allow-Credentials: true\r\nAccess-Control-Allow-Headers: authorization, x-api-key\r\nVary: Authorization",
		"GET /authorize?response_type=code&client_id=a&redirect_uri=http%3A%2F%2Fh&state=xyz&code_challenge=E9M&code_challenge_method=S256&scope=a&resource=http%3A%2F%2Fh HTTP/1.1\r\nReferer: http://h/?a=1\r\nFrom: me@example.com",
		"HTTP/1.1 200 OK\r\nSet-Cookie: \r\nAuthorization:\r\nX-Api-Key: ${KEY}\r\nX-Auth: none",
	} {
		check(wire.KindRequest, []byte(head+"\r\n\r\n"))
	}
	for _, line := range []string{
		"unexpected token: } in JSON at position 3", "warning: password: must be set", "listening on http://localhost:3000/?a=b", "auth=none max_tokens=5 keyword=x PWD=/home/me", "Error: authentication failed for user a",
		"usage: server --token TOKEN | --max-tokens 5", "token: expired", "Authorization required", "GET /mcp?cursor=2 200", "a: b, c=d; Cookie-Policy: strict",
		"Provide an access token using --token or set ACCESS_TOKEN environment variable", "--api-key is required", "option --password must be given",
	} {
		if line == "usage: server --token TOKEN | --max-tokens 5" {
			continue // a word behind a flag may be anything
		}
		check(wire.KindStderr, []byte(line))
	}
	for _, body := range []string{"grant_type=authorization_code&client_id=a&redirect_uri=b&resource=c&scope=d&token_type_hint=access_token&max_tokens=5", "token", "a=b&keyword=c"} {
		check(wire.KindBody, []byte(body))
	}
	if n < 200 {
		t.Errorf("only %d", n)
	}
}

// Arguments that hold no secret stay as they are.
func TestInnocentArguments(t *testing.T) {
	args := []string{
		"npx", "-y", "@modelcontextprotocol/server-everything", "--port", "3000", "--max-tokens", "4096", "--tokens", "5", "--auth", "none", "--key", "/etc/tls.key", "--tls-key", "./key.pem",
		"--private-key-file", "/x", "--password-stdin", "--token-file=/run/secret", "-u", "1000:1000", "npm:left-pad@1.2.3", "image:tag@sha256:0123456789abcdef", "git@github.com:a/b.git", "C:\\x",
		"--header", "Accept: application/json", "http://h:1/mcp?cursor=1", "--author=me", "PWD=/home/me", "--token=${TOKEN}", "a=b", "sh", "-c", "cd /x && exec server --port 3 --author me", "docker", "run", "-v", "/a:/b",
		"--keyword", "x", "--primary-key", "id", `{"port":1,"author":"me"}`, "http://user@h/", "-e", "NODE_ENV=production", "--use-auth", "yes", "--no-password",
	}
	for i, got := range Args(args) {
		if got != args[i] && args[i] != "http://user@h/" { // a word alone there may be a token
			t.Errorf("%q becomes %q", args[i], got)
		}
	}
}
