package describe

import (
	"strings"
	"testing"

	"midwire/fixtures/transcript"
	"midwire/session"
	"midwire/session/wire"
	"midwire/session/words"
)

func TestCallWords(t *testing.T) {
	for _, c := range []struct{ method, params, response, target, result string }{
		{"initialize", `{"clientInfo":{"name":"claude-code","version":"2.1"}}`, `{"protocolVersion":"2025-06-18"}`, "claude-code 2.1", "2025-06-18"},
		{"ping", ``, `{}`, "", "ok"},
		{"tools/list", `{"cursor":"a"}`, `{"tools":[{},{}],"nextCursor":"b"}`, "next page", "2 tools, more follow"},
		{"resources/list", `{}`, `{"resources":[{}]}`, "", "1 resource"},
		{"resources/templates/list", `{}`, `{"resourceTemplates":[]}`, "", "0 templates"},
		{"prompts/list", `{}`, `{"prompts":[]}`, "", "0 prompts"},
		{"tools/call", `{"name":"f","arguments":{"limit":1,"deep":{"a":1},"q":"auth"}}`, `{"content":[{"type":"image","data":"AAAA"}]}`, `f q="auth" limit=1 deep={7}`, "image 3"},
		{"tools/call", `{"name":"f","arguments":{"n":1}}`, `{"content":[],"structuredContent":{"a":1}}`, `f n=1`, "a=1"},
		{"tools/call", `{"name":"f"}`, `{"content":[{"type":"resource_link","uri":"file:///x"}]}`, "f", "link file:///x"},
		{"tools/call", `{"name":"f"}`, `{"isError":true,"content":[{"type":"text","text":"no such\nfile"}]}`, "f", "failed: no such file"},
		{"tools/call", `{"name":"f"}`, `{"resultType":"task","taskId":"t1","status":"working"}`, "f", "task t1 working"},
		{"tools/call", `{"name":"f"}`, `{"content":[{"type":"text","text":"` + strings.Repeat("x", 4100) + `"}]}`, "f", `"` + strings.Repeat("x", 120) + `…"`},
		{"tools/call", `{"name":"f"}`, `{"content":[{"type":"text","text":"# Notes\n\nNothing yet."}]}`, "f", `"# Notes Nothing yet."`},
		{"resources/read", `{"uri":"file:///a.go"}`, `{"contents":[{"text":"abc"}]}`, "file:///a.go", `"abc"`},
		{"resources/read", `{"uri":"file:///a"}`, `{"contents":[{"blob":"AAAA"}]}`, "file:///a", "blob 3"},
		{"prompts/get", `{"name":"p","arguments":{"code":"x"}}`, `{"messages":[{}]}`, `p code="x"`, "1 message"},
		{"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"lang","value":"py"}}`, `{"completion":{"values":["python"]}}`, `p lang="py"`, "1 value"},
		{"logging/setLevel", `{"level":"debug"}`, `{}`, "debug", "ok"},
		{"elicitation/create", `{"message":"Your name?"}`, `{"action":"accept"}`, "Your name?", "accept"},
		{"tasks/get", `{"taskId":"t1"}`, `{"status":"completed"}`, "t1", "completed"},
		{"roots/list", ``, `{"roots":[{},{}]}`, "", "2 roots"},
		{"skills/list", `{}`, `{"skills":[{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a"},"resources":"dynamic"},{"frontmatter":{"name":"b"}}],"nextCursor":"c"}`, "", "2 skills, more follow a, b"},
		{"skills/get", `{"uri":"skill://a/SKILL.md"}`, `{"skill":{"frontmatter":{"name":"a"},"resources":[{"size":1000},{"size":2000}]}}`, "skill://a/SKILL.md", "a 2 files, 3.0k"},
		{"skills/get", `{"uri":"skill://a/SKILL.md"}`, `{"skill":{"frontmatter":{"name":"a"},"resources":"dynamic"}}`, "skill://a/SKILL.md", "a dynamic: without digests"},
		{"resources/directory/read", `{"uri":"skill://a/t"}`, `{"resources":[{},{}]}`, "skill://a/t", "2 files"},
		{"vendor/thing", `{"path":"/x"}`, `{"a":12345}`, `path="/x"`, "a=12345"},
	} {
		name, more := callTarget(c.method, []byte(c.params))
		if got := words.Join(name, more); got != c.target {
			t.Errorf("%s %s: target %q, want %q", c.method, c.params, got, c.target)
		}
		if got := callResult(c.method, []byte(c.response)); got != c.result {
			t.Errorf("%s %.60s: result %q, want %q", c.method, c.response, got, c.result)
		}
	}
}

func TestNotificationWords(t *testing.T) {
	for _, c := range []struct{ method, params, want string }{
		{"notifications/progress", `{"progress":1,"total":3,"message":"reading"}`, "1/3 reading"},
		{"notifications/progress", `{"progress":0.333333}`, "0.33"},
		{"notifications/message", `{"level":"error","data":{"a":1}}`, `error {"a":1}`},
		{"notifications/cancelled", `{"requestId":"x","reason":"timeout"}`, "id x timeout"},
		{"notifications/resources/updated", `{"uri":"file:///a"}`, "file:///a"},
		{"notifications/tasks/status", `{"taskId":"t","status":"failed"}`, "t failed"},
		{"notifications/initialized", ``, ""},
	} {
		if got := notificationTarget(c.method, []byte(c.params)); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.method, c.params, got, c.want)
		}
	}
}

// TestRowWithoutFrames: a row says what it can without its payloads.
func TestRowWithoutFrames(t *testing.T) {
	tr := session.New(session.Options{})
	for kind := session.RowCall; kind <= session.RowTap; kind++ {
		Row(tr, &session.Row{Kind: kind, Parent: -1}, nil, nil)
	}
	_, result := Row(tr, &session.Row{Kind: session.RowCall, Parent: -1, Ending: session.Unanswered}, nil, nil)
	if result != "no response" {
		t.Errorf("lost: %q", result)
	}
}

// TestRowIsBounded: hostile payloads make no long words.
func TestRowIsBounded(t *testing.T) {
	long := strings.Repeat("é", 5000)
	var s transcript.Transcript
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '>', X: 1}, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+long+`","arguments":{"`+long+`":"`+long+`"}}}`)
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '<', X: 1}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"`+long+`"}}`)
	s.Add(wire.Frame{Kind: wire.KindLine, Dir: '<', X: 1}, long)
	tr := session.New(session.Options{Tap: s.Tap})
	for _, f := range s.Frames {
		tr.Apply(f)
	}
	frame := func(n uint32) *wire.Frame {
		if n == 0 {
			return nil
		}
		return s.Frames[n-1]
	}
	for i := range tr.Rows() {
		r := tr.Row(i)
		a, b := Row(tr, r, frame(r.Request), frame(r.Response))
		if len(a) > MaxRow || len(b) > MaxRow || !strings.HasPrefix(strings.ToValidUTF8(a, "?"), a) {
			t.Errorf("row %d: %d and %d bytes", i, len(a), len(b))
		}
	}
}
