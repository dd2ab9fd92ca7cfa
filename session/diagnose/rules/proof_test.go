package rules

import (
	"os"
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/diagnose"
)

// TestFindingIsOfTheSessionOfItsProof: a host that opens a session for every call
// is known by the third of them, and failed in the second.
func TestFindingIsOfTheSessionOfItsProof(t *testing.T) {
	text, err := os.ReadFile("testdata/session-per-call/fires.txt")
	if err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	tr, c := diagnose.New(session.Options{Tap: s.Tap}, All())
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	for _, f := range c.Findings() {
		if f.Rule == sessionPerCall && f.Session != 1 {
			t.Errorf("the finding is of session %d", f.Session)
		}
	}
}

// TestPlacesAndQuotes: a finding about a member says where that is, and quotes a
// string once.
func TestPlacesAndQuotes(t *testing.T) {
	const hello = `tap stdio
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"x":{"type":"object","properties":{"y":{"type":"string"}},"required":["y"]}}}},{"name":"b","inputSchema":%}]}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a","arguments":{"x":{}}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text"}]}}
`
	for schema, want := range map[string]string{
		`{"type":"string"}`: "/result/tools/1/inputSchema/type", `null`: "/result/tools/1/inputSchema", `{}`: "/result/tools/1/inputSchema/type",
	} {
		places := map[string]string{}
		for _, f := range check(t, strings.Replace(hello, "%", schema, 1)) {
			places[f.Rule.ID] = f.Place
			if strings.Contains(f.Message, "“\"") {
				t.Errorf("quotes twice: %s", f.Message)
			}
		}
		if places["tool-definition-invalid"] != want || places["tool-arguments-invalid"] != "/params/arguments/x/y" ||
			places["message-schema"] != "/result/content/0/text" {
			t.Errorf("%s: %q", schema, places)
		}
	}
}

// TestRightStepsExist: a rule names steps that life cycles have.
func TestRightStepsExist(t *testing.T) {
	known := map[string]bool{}
	s, err := transcript.Parse(`tap http
1.1 > POST /mcp || {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
1.1 < 200 application/json | Mcp-Session-Id: abc || {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
`)
	if err != nil {
		t.Fatal(err)
	}
	tr := session.New(session.Options{Tap: s.Tap})
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	for _, step := range tr.Sessions()[0].Steps {
		known[step.Name] = true
	}
	for _, r := range All() {
		if r.Right != nil && !known[r.Right.Step] {
			t.Errorf("%s: no life cycle has the step %q", r.ID, r.Right.Step)
		}
	}
}
