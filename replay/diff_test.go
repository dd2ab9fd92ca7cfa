package replay

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"midwire/fixtures/replaytest"
	"midwire/session/record"
)

// Two runs of one client against one server are the same, whatever the handles
// and times; a changed, an extra and a missing call are told.
func TestDiff(t *testing.T) {
	one := func(odd []string, more func(*mcp.ClientSession)) *Script {
		return load(t, replaytest.OverStdio(t, replaytest.Serve(odd...), "2025-06-18", func(s *mcp.ClientSession) {
			more(s)
			replaytest.Play(t, s, true)
		}))
	}
	nothing := func(*mcp.ClientSession) {}
	a := one(nil, nothing)
	for name, c := range map[string]struct {
		b    *Script
		want map[string]Verdict
	}{
		"same":    {one(nil, nothing), map[string]Verdict{}},
		"changed": {one([]string{"changed"}, nothing), map[string]Verdict{"tools/call count": Changed}},
		"extra": {one(nil, func(s *mcp.ClientSession) {
			replaytest.Call(t, s, "count", replaytest.Args{Name: "new.md"})
		}), map[string]Verdict{"tools/call count": Extra}},
	} {
		r, err := Diff(a, c.b, DiffOptions{})
		if err != nil || !maps.Equal(verdicts(r), c.want) {
			t.Errorf("%s: %v, %v", name, err, verdicts(r))
		}
		back, err := Diff(c.b, a, DiffOptions{})
		if err != nil || name == "extra" && verdicts(back)["tools/call count"] != Missing {
			t.Errorf("%s, back: %v, %v", name, err, verdicts(back))
		}
	}
}

func TestSlower(t *testing.T) {
	for _, c := range []struct {
		was, now time.Duration
		want     bool
	}{
		{time.Millisecond, 200 * time.Millisecond, false}, // too little more to matter
		{time.Millisecond, 300 * time.Millisecond, true},
		{time.Second, 2900 * time.Millisecond, false},
		{time.Second, 3100 * time.Millisecond, true},
	} {
		if got := DefaultSlow().slower(c.was, c.now); got != c.want {
			t.Errorf("%v after %v is slower: %v", c.now, c.was, got)
		}
	}
	if (Slow{}).slower(0, time.Hour) {
		t.Error("nothing is slower than without a limit")
	}
}

func TestVolatile(t *testing.T) {
	m := Masks{Handles: map[string]string{"s1": "s2"}, Rules: []Rule{rule(t, "tools/call:x result.skip.**")}}
	for _, c := range []struct {
		a, b string
		want string // paths that differ
	}{
		{`{"createdAt":"2026-01-01T00:00:00Z"}`, `{"createdAt":"2026-02-01T00:00:00Z"}`, ""},
		{`{"took_ms":5,"ttlMs":10}`, `{"took_ms":6,"ttlMs":20}`, ""},
		{`{"id":17,"task_id":"t-1"}`, `{"id":18,"task_id":"t-2"}`, ""},
		{`{"text":"in 12ms at 10:00:00, run 550e8400-e29b-41d4-a716-446655440000"}`, `{"text":"in 9ms at 11:00:00, run 123e4567-e89b-12d3-a456-426614174000"}`, ""},
		{`{"text":"[session: s1] ok"}`, `{"text":"[session: s2] ok"}`, ""},
		{`{"text":"{\"words\":3,\"took_ms\":1}"}`, `{"text":"{\"took_ms\":2,\"words\":4}"}`, "result.text.words"},
		{`{"skip":{"a":1},"count":1}`, `{"skip":{"a":2},"count":2}`, "result.count"},
		{`{"serverInfo":{"name":"a","version":"1"}}`, `{"serverInfo":{"name":"b","version":"2"}}`, "result.serverInfo.name"},
		{`{"tools":[{"name":"a","x":1},{"name":"b","x":1}]}`, `{"tools":[{"name":"b","x":2}]}`, "result.tools[0] result.tools[1].x"},
		{`{"valid":true,"n":1}`, `{"valid":false,"n":1.0}`, "result.valid result.n"},
		{`{"text":"3 matches"}`, `{"text":"4 matches"}`, "result.text"},
		{`{"trace_id":"CMY56QPT4MBBR6IO3STLUWWUPF","x":"SGVsbG8gV29ybGQx"}`, `{"trace_id":"WWREKCCUVKNUWFPAMTABESWMVU","x":"SGVsbG8gV29ybGQy"}`, ""},
		{`{"name":"alice"}`, `{"name":"bob"}`, "result.name"},
		{`{"a":1}`, `{"b":1}`, "result.a result.b"},
	} {
		o := Outcome{Method: "tools/call", Target: "x"}
		m.Compare(&o, result(c.a), result(c.b), Slow{})
		var paths []string
		for _, ch := range o.Changes {
			paths = append(paths, ch.Path)
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s against %s: %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func verdicts(r *Report) map[string]Verdict {
	all := map[string]Verdict{}
	for _, o := range r.Outcomes {
		if o.Verdict.Differs() {
			all[o.Label()] = o.Verdict
		}
	}
	return all
}

func load(t testing.TB, path string) *Script {
	t.Helper()
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestMain(m *testing.M) { replaytest.Main(m, nil) }

func rule(t *testing.T, text string) Rule {
	t.Helper()
	r, err := ParseRule(text)
	if err != nil || r.String() != text {
		t.Fatalf("%q: %v, %v", text, r, err)
	}
	return r
}

// A multi round-trip of 2026-07-28 is replayed with the state that the new
// server gives.
func TestRoundTrips(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	path := replaytest.Tape(t, "stdio", `
		> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","requestState":null,`+meta+`}}
		< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"one","inputRequests":{"k":{"method":"elicitation/create","params":{}}}}}
		> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","requestState":"one","inputResponses":{"k":{"action":"accept"}},`+meta+`}}
		< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}`)
	p, err := load(t, path).Plan(PlanOptions{})
	if err != nil || len(p.Subs) != 1 || p.Subs[0].Why != "requestState" {
		t.Fatalf("%v, %+v", err, p.Subs)
	}
	issued := map[string]string{}
	p.Learn(0, "", []byte(`{"id":9,"result":{"requestState":"two \" 2"}}`), issued)
	payload, missing, err := p.Payload(1, func(i int32) (string, bool) {
		now, ok := issued[p.Sources[i].Was]
		return now, ok
	})
	if err != nil || len(missing) > 0 || !strings.Contains(string(payload), `"requestState":"two \" 2","inputResponses":{"k":{"action":"accept"}}`) {
		t.Errorf("%s, %v, %v", payload, missing, err)
	}
}

// TestWhatWasSentIsFirm: what the client sent does not differ from run to run, nor does a
// whole number that was the same in all known sessions; what a server made up does.
func TestWhatWasSentIsFirm(t *testing.T) {
	const uuid, other = "550e8400-e29b-41d4-a716-446655440000", "123e4567-e89b-12d3-a456-426614174000"
	for _, c := range []struct {
		sent, was, now string // arguments, and results
		want           string // paths that differ
	}{
		{`{"id":7}`, `{"id":7,"name":"a"}`, `{"id":8,"name":"a"}`, "result.id"},
		{`{"id":7}`, `{"content":[{"type":"text","text":"user id: 7"}]}`, `{"content":[{"type":"text","text":"user id: 8"}]}`, "result.content[0].text"},
		{`{"id":7}`, `{"content":[{"type":"text","text":"{\"user_id\":7}"}]}`, `{"content":[{"type":"text","text":"{\"user_id\":8}"}]}`, "result.content[0].text.user_id"},
		{`{"id":"7"}`, `{"user_id":7}`, `{"user_id":8}`, "result.user_id"},
		{`{"q":"` + uuid + `"}`, `{"task":"` + uuid + `"}`, `{"task":"` + other + `"}`, "result.task"},
		{`{"q":"` + uuid + `"}`, `{"text":"run ` + uuid + ` is over"}`, `{"text":"run ` + other + ` is over"}`, "result.text"},
		{`{"date":"2026-01-01"}`, `{"date":"2026-01-01"}`, `{"date":"2026-01-02"}`, "result.date"},
		{`{"limit":5}`, `{"took_ms":5,"id":5}`, `{"took_ms":6,"id":6}`, ""}, // by chance
		{`{"id":7}`, `{"request_id":17}`, `{"request_id":18}`, ""},
		{`{"id":7}`, `{"id":7,"run":"` + uuid + `"}`, `{"id":7,"run":"` + other + `"}`, ""},
	} {
		tape := func(result string) *Script {
			return load(t, replaytest.Tape(t, "stdio", `
				> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"user","arguments":`+c.sent+`}}
				< {"jsonrpc":"2.0","id":1,"result":`+result+`}`))
		}
		r, err := Diff(tape(c.was), tape(c.now), DiffOptions{Keep: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		var paths, lines []string
		for _, ch := range r.Outcomes[0].Changes {
			paths = append(paths, ch.Path)
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: %s against %s: %q, want %q", c.sent, c.was, c.now, got, c.want)
		}
		shown, _ := r.Comparison().Lines(0)
		for _, l := range shown {
			if l.Kind == LineChanged {
				lines = append(lines, l.Path)
			}
		}
		if got := strings.Join(lines, " "); got != c.want {
			t.Errorf("%s: %s against %s: the lines %q differ, want %q", c.sent, c.was, c.now, got, c.want)
		}
	}
}

// TestSameInAllSessions: a whole number that was the same in other sessions is no id of a run.
func TestSameInAllSessions(t *testing.T) {
	tape := func(ids ...string) *Script {
		var text strings.Builder
		for i, id := range ids {
			text.WriteString(strings.NewReplacer("N", string(rune('1'+i)), "SHOP", id).Replace(
				`N.1 > POST /mcp || {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
N.1 < 200 application/json | Mcp-Session-Id: session-N || {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
N.2 > POST /mcp | Mcp-Session-Id: session-N || {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shop","arguments":{}}}
N.2 < 200 application/json || {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"{\"shop_id\":SHOP}"}]}}
`))
		}
		return load(t, replaytest.Transcript(t, record.Header{Tap: "http"}, text.String()))
	}
	for _, c := range []struct {
		known []string
		want  Verdict
	}{
		{[]string{"47"}, Same}, // one run says nothing
		{[]string{"47", "47"}, Changed},
		{[]string{"47", "48"}, Same},
	} {
		r, err := Diff(tape(c.known...), tape("52"), DiffOptions{A: []int{0}})
		if err != nil || len(r.Outcomes) != 2 || r.Outcomes[1].Verdict != c.want {
			t.Errorf("%v: %+v %v", c.known, r.Outcomes, err)
		}
	}
}

// TestHandlesWithoutAName: what a result showed first and an argument was later is replaced,
// whatever it is called, when it stands elsewhere no more.
func TestHandlesWithoutAName(t *testing.T) {
	for _, c := range []struct{ result, arguments, now, want string }{
		{`{"structuredContent":{"number":7}}`, `{"issue_number":7}`, `{"structuredContent":{"number":9}}`, `{"issue_number":9}`},
		{`{"content":[{"type":"text","text":"{\"number\":41}"}]}`, `{"issue_number":41}`, `{"content":[{"type":"text","text":"{\"number\":52}"}]}`, `{"issue_number":52}`},
		{`{"content":[{"type":"text","text":"Created issue #41."}]}`, `{"n":41}`, `{"content":[{"type":"text","text":"Created issue #52."}]}`, `{"n":52}`},
		{`{"structuredContent":{"branch":"fix-41"}}`, `{"head":"fix-41"}`, `{"structuredContent":{"branch":"fix-52"}}`, `{"head":"fix-52"}`},
		{`{"structuredContent":{"name":"blue"}}`, `{"name":"blue"}`, `{"structuredContent":{"name":"red"}}`, `{"name":"red"}`},
		{`{"files":["a1","b2"]}`, `{"file":"a1"}`, `{"files":["b2","a1"]}`, `{"file":"a1"}`}, // another order
		{`{"count":3}`, `{"limit":3}`, `{"count":4}`, `{"limit":3}`},                         // by chance
		{`{"state":"open"}`, `{"filter":"open"}`, `{"state":"shut"}`, `{"filter":"open"}`},   // a word
		{`{"a":7,"number":7}`, `{"number":7}`, `{"a":7,"number":9}`, `{"number":7}`},         // it is still there
	} {
		p, err := load(t, replaytest.Tape(t, "stdio", `
			> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create","arguments":{}}}
			< {"jsonrpc":"2.0","id":1,"result":`+c.result+`}
			> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"use","arguments":`+c.arguments+`}}
			< {"jsonrpc":"2.0","id":2,"result":{}}`)).Plan(PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		issued := map[string]string{}
		p.Learn(0, "", []byte(`{"id":9,"result":`+c.now+`}`), issued)
		payload, missing, err := p.Payload(1, func(i int32) (string, bool) {
			now, ok := issued[p.Sources[i].Was]
			return now, ok
		})
		if err != nil || len(missing) > 0 || !strings.Contains(string(payload), `"arguments":`+c.want) {
			t.Errorf("%s, then %s: %s, %v, %v", c.result, c.now, payload, missing, err)
		}
	}
}
