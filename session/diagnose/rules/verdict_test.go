package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// finished is a transcript as it is understood at its end.
func finished(s *transcript.Transcript) (*session.Tracker, *diagnose.Checker) {
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, All())
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	c.Finish()
	return tr, c
}

// judge returns the verdicts of a transcript, a line for each session.
func judge(s *transcript.Transcript) string {
	tr, c := finished(s)
	roots := c.Findings()
	var lines []string
	for _, s := range tr.Sessions() {
		lines = append(lines, c.Verdict(s, roots).String())
	}
	return strings.Join(lines, "\n")
}

const (
	began = `tap stdio
start {"command":["server"]}
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`
	toolsListed = `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}
`
	called = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}
`
	over = `eof >
eof <
exit {"code":0}
`
	initPost = `1.1 > POST /mcp | Host: h | Accept: application/json, text/event-stream | Content-Type: application/json || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
`
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"served", began + toolsListed + called + "< {\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[]}}\n" + over, "✓ all served: initialize, tools/list, tools/call"},
		{"listed and not used", began + toolsListed + over, "✓ all served: initialize, tools/list"},
		{"the same call again", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"42"}]}}
` + strings.Replace(called, `"id":2`, `"id":3`, 1) + `< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"42"}]}}
` + over, "✓ all served: initialize, tools/list, 2 tools/call"},
		{"a state asked for again", began + strings.ReplaceAll(toolsListed+called+`< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"42"}]}}
`+strings.Replace(called, `"id":2`, `"id":3`, 1)+`< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"42"}]}}
`, "echo", "job_status") + over, "✓ all served: initialize, tools/list, 2 tools/call"},
		{"another result the second time", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"42"}]}}
` + strings.Replace(called, `"id":2`, `"id":3`, 1) + `< {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"done"}]}}
` + over, "✓ all served: initialize, tools/list, 2 tools/call"},
		{"neither id nor version is sent", "tap http\n" + initPost +
			`1.1 < 200 application/json | Mcp-Session-Id: 23e6a649-7b56-44d9-b193-fe483fc22506 || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
1.2 > POST /mcp | Host: h | Accept: application/json, text/event-stream | Content-Type: application/json || {"jsonrpc":"2.0","id":1,"method":"tools/list"}
1.2 < 400 application/json || {"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}
`, "✗ Server s 1 issued session id “23e6a649-7b56-44d9-b193-fe483fc22506” (#4), and the client sent tools/list (#7) without it. It was refused: “Bad Request: Server not initialized”."},
		{"a tool fails", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}
` + over, "! tools/call echo failed"},
		{"nothing asked", began + over, "✓ all served: initialize; nothing else was asked"},
		{"tools never asked for", began + "wait 4000\n" + over, "✓ all served: initialize; nothing else was asked"},
		{"its only read refused", strings.Replace(began, `"tools":{}`, `"tools":{},"resources":{}`, 1) + toolsListed + `> {"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a://b"}}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Resource not found"}}
` + over, "! resources/read a://b was refused: \"Resource not found\" (-32002)"},
		{"still waiting", began + called, "? no response to tools/call (#5) yet"},
		{"gone at once", began + called + over, "? the client left before tools/call (#5) was answered"},
		{"cancelled", began + toolsListed + called + `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"user"}}
` + over, "✓ all served: initialize, tools/list"},
		{"refused and over", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error"}}
` + over, "✗ tools/call echo was refused: \"Internal error\" (-32603)"},
		{"refused once, then served", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{}}}
< {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
` + over, "! 1 of 2 tools/call was refused: \"Internal error\" (-32603)"},
		{"an error without a code", began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"error":{"code":0,"message":"busy"}}
` + over, "✗ tools/call echo was refused: \"busy\""},
		{"the server crashes", began + toolsListed + called + `! panic: nil
eof <
exit {"code":2}
`, "✗ s exited with 2 during tools/call (#7): \"panic: nil\""},
		{"the handshake is refused", "tap http\n" + initPost + "1.1 < 418 text/plain || I am a teapot\n", "✗ initialize was refused with 418: \"I am a teapot\""},
		{"the handshake is refused, then served", "tap http\n" + initPost + "1.1 < 418 text/plain || I am a teapot\n" +
			strings.ReplaceAll(initPost, "1.1 ", "1.2 ") +
			`1.2 < 200 application/json || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
`, "✓ all served: initialize; nothing else was asked"},
	} {
		s, err := transcript.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := judge(s); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestVerdictsSoFar judges sessions that go on.
func TestVerdictsSoFar(t *testing.T) {
	refused := began + toolsListed + called + `< {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error"}}
` + strings.ReplaceAll(called, `"id":2`, `"id":3`) + `< {"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"Internal error"}}
`
	for _, c := range []struct{ name, text, want string }{
		{"waits", began + called, "? no response to tools/call (#5) yet"},
		{"the method is refused each time", refused, "✗ 2 of 2 tools/call were refused: \"Internal error\" (-32603)"},
		{"and served then", refused + strings.ReplaceAll(called, `"id":2`, `"id":4`) + `< {"jsonrpc":"2.0","id":4,"result":{"content":[]}}
`, "! 2 of 3 tools/call were refused: \"Internal error\" (-32603)"},
		{"initialize refused", "tap http\n" + initPost + "1.1 < 400 text/plain || no\n", "✗ initialize was refused with 400: \"no\""},
		{"and the client began again", "tap http\n" + initPost + "1.1 < 400 text/plain || no\n" + strings.ReplaceAll(initPost, "1.1", "1.2"), "? no response to initialize (#7) yet"},
		{"a login may follow", "tap http\n" + initPost + "1.1 < 401 text/plain || no\n", "? authorization was not completed"},
	} {
		s, err := transcript.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		tr, checker := diagnose.New(session.Options{Tap: s.Tap}, nil)
		for _, f := range s.Frames {
			tr.Apply(f)
		}
		if got := checker.Verdict(tr.Session(0), checker.Findings()).String(); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

// Correct traffic never fails, whatever else is found in it: at most calls of its tools
// did, which says nothing of either side.
func TestHealthyWorks(t *testing.T) {
	files, _ := filepath.Glob("testdata/healthy/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := transcript.Parse(string(text))
		if err != nil {
			t.Fatal(err)
		}
		for one := range strings.Lines(judge(s)) {
			if strings.HasPrefix(one, "failed") || strings.HasPrefix(one, "works, but") && !strings.Contains(one, " failed") {
				t.Errorf("%s: %s", file, one)
			}
		}
	}
}

// TestFailedIsFound: a session that failed never goes without a finding.
func TestFailedIsFound(t *testing.T) {
	files, _ := filepath.Glob("testdata/*/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		front, _, _ := strings.Cut(string(text), "\n=== behind")
		s, err := transcript.Parse(front)
		if err != nil {
			t.Fatal(err)
		}
		tr, c := finished(s)
		roots := c.Findings()
		for _, one := range tr.Sessions() {
			if v := c.Verdict(one, roots); v.Outcome == diagnose.Failed && v.Cause == nil {
				t.Errorf("%s: session %d failed without a finding", file, one.Index+1)
			}
		}
	}
}

// FuzzVerdicts feeds lines of transcripts in any order: no verdict panics, and the
// same frames have the same verdicts.
func FuzzVerdicts(f *testing.F) {
	files, _ := filepath.Glob("testdata/session-failed/*.txt")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 16<<10 {
			return
		}
		var s transcript.Transcript
		for line := range strings.Lines(text) {
			_ = s.Line(strings.TrimSuffix(line, "\n")) // what is no line of a transcript is left out
		}
		if one, two := judge(&s), judge(&s); one != two {
			t.Fatalf("the same frames have other verdicts:\n%s\n%s", one, two)
		}
	})
}

// TestAttemptsShareTheirCause: a later call that fails as an earlier one did has its cause.
func TestAttemptsShareTheirCause(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "session-per-call", "fires.txt"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	const because = "opened a new session for each of 3 tool calls"
	if got := judge(s); strings.Count(got, because) != 2 || !strings.HasPrefix(got, "✓ ") {
		t.Errorf("got\n%s", got)
	}
	other, err := transcript.Parse(strings.Replace(string(text), "read the document first", "the disk is full", 1))
	if err != nil {
		t.Fatal(err)
	}
	if got := judge(other); strings.Count(got, because) > 1 {
		t.Errorf("another failure has the same cause:\n%s", got)
	}
}
