package operation

import (
	"strings"
	"testing"

	"midwire/session"
	"midwire/session/words/wordstest"
)

// TestTelling: the line that is shown first is the one that says what ended the process, wherever
// frames, help, warnings and versions stand.
func TestTelling(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"orders 0.9.2 starting\nError: DATABASE_URL is not set\n    at connect (orders.mjs:14:9)\n\nNode.js v24.1.0", "Error: DATABASE_URL is not set"},
		{"Error: required flag(s) \"token\" not set\nUsage:\n  server [flags]\n  -h, --help   help\nrequired flag(s) \"token\" not set", "Error: required flag(s) \"token\" not set"},
		{"/app/server.js:3\nconst x = f();\n          ^\n\nTypeError: f is not a function\n    at Object.<anonymous> (/app/server.js:3:11)\n\nNode.js v18.0.0", "TypeError: f is not a function"},
		{"npm warn deprecated x@1: missing\nnpm error code E404\nnpm error 404 Not Found\nnpm error A complete log of this run can be found in: /x", "npm error 404 Not Found"},
		{"(node:12) Warning: missing thing\nlistening\nAPI key is required", "API key is required"},
		{`{"level":"info","msg":"start"}` + "\n" + `{"level":"error","msg":"no key"}`, `{"level":"error","msg":"no key"}`},
		{"Traceback (most recent call last):\n  File \"s.py\", line 2, in <module>\n    import x\nModuleNotFoundError: No module named 'x'", "ModuleNotFoundError: No module named 'x'"},
		{"one\ntwo", "two"},
	} {
		var s Stderr
		for line := range strings.SplitSeq(c.text, "\n") {
			s.take(&session.Event{N: 1, Data: []byte(line)})
		}
		if got := s.Telling().Text; got != c.want {
			t.Errorf("of\n%s\nit shows %q, not %q", c.text, got, c.want)
		}
	}
}

// TestReadsFailed: only a result that is about a failure as a whole reads like one.
func TestReadsFailed(t *testing.T) {
	for text, want := range map[string]bool{
		"Error: no such table": true, "⚠️ Failed to read": true, `{"error":"quota"}`: true, `{"success":false,"n":1}`: true,
		"KeyError: 'x'": true, "Rate limit exceeded": true, "Unauthorized": true, "": false, "Errors found: 3": false,
		`{"error":null,"rows":[]}`: false, "12:01 INFO start\n12:02 ERROR rate limit": false, `{"rows":[{"error":"x"}]}`: false,
		`{"command":"plan","exitCode":127,"stderr":"plan: not found"}`: true, `{"exitCode":0,"stdout":""}`: false,
		"[stderr]\nCannot connect to the daemon\n\nExit code: 1": true, "a.txt\nExit code: 0": false,
		"The rate limit section\nof the manual": false, "ok": false,
	} {
		if got := ReadsFailed(text); got != want {
			t.Errorf("%q reads like a failure: %v", text, got)
		}
	}
}

func FuzzTexts(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		Trouble(s)
		ReadsFailed(s)
		ReadsFailed("{" + s)
		shape(s, s[:len(s)/2])
	})
}
