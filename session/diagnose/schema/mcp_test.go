package schema

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"midwire/session/mcp"
	"midwire/session/outline"
	"midwire/session/wire"
)

// TestPublished: the schemas are those that were published, byte for byte.
func TestPublished(t *testing.T) {
	want := map[mcp.Version]string{
		"2024-11-05": "61cea2392d4f2840", "2025-03-26": "e720669548c8100a", "2025-06-18": "af845e7e5b9d2710",
		"2025-11-25": "268a5f82ba70fd7e", "2026-07-28": "ef70b61f99b6d2e5",
	}
	for _, r := range mcp.Versions() {
		raw, err := published.ReadFile("mcp/" + string(r) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(raw))[:16]; got != want[r] {
			t.Errorf("%s: %s, want %s", r, got, want[r])
		}
	}
	if ForVersion("2025-12-24") != nil || ForVersion("") != nil || ForVersion("draft") != nil {
		t.Error("a schema for a revision that there is not")
	}
}

// TestEveryDefinition: whatever the schemas define can be read by what is
// implemented here.
func TestEveryDefinition(t *testing.T) {
	for _, r := range mcp.Versions() {
		p := ForVersion(r)
		for method := range p.results {
			p.Message(nil, method, []byte(`{"params":{}}`))
			if name := p.results[method]; name == "EmptyResult" && !strings.Contains("ping logging/setLevel resources/subscribe resources/unsubscribe", method) {
				t.Errorf("%s %s has no result of its own", r, method)
			}
			p.Result(nil, method, []byte(`{}`))
		}
		for method := range p.messages {
			p.Message(nil, method, []byte(`{"params":{}}`))
		}
		for ptr, n := range p.schema.nodes {
			if n.odd {
				t.Errorf("%s %s is not understood", r, ptr)
			}
		}
		if list := p.schema.faults; len(list) > 0 {
			t.Errorf("%s: %s", r, faults(list))
		}
		if len(p.schema.nodes) < 100 {
			t.Errorf("%s: only %d schemas were looked at", r, len(p.schema.nodes))
		}
	}
}

func TestMessages(t *testing.T) {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	for _, c := range []struct {
		version                 mcp.Version
		kind, method, raw, want string
	}{
		{"2025-06-18", "request", "tools/call", call(`{"name":"a","arguments":{"x":[1,{}]}}`), ``},
		{"2025-06-18", "request", "tools/call", call(`{"name":7}`), `/params/name is a number, and must be a string`},
		{"2025-06-18", "request", "tools/call", call(`{"arguments":{}}`), `/params lacks “name”`},
		{"2025-06-18", "request", "no/such", call(`{}`), ``},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"text","text":"a"}]}`, ``},
		{"2025-06-18", "result", "tools/call", `{"structuredContent":{}}`, ` lacks “content”`},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"text"}]}`, `/content/0 lacks “text”`},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"iVBO\/+8="}]}`, ``},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"data:image/png;base64,iVBO"}]}`, `/content/0/data is “data:image/png;base64,iVBO”, which is a data URL and not base64 alone: the part up to the comma belongs to no member, or to mimeType`},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"<svg/>"}]}`, `/content/0/data is “<svg/>”, which is not base64: it has “<”`},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"image","mimeType":"image/png","data":"redacted:ab12"}]}`, ``},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"resource","resource":{"uri":"a.pdf","blob":"JVBE"}}]}`, `/content/0/resource/uri is “a.pdf”, which is not an absolute URI: it has no scheme such as https: or file:`},
		{"2025-06-18", "result", "tools/call", `{"content":[{"type":"resource","resource":{"uri":"x+y:a.pdf","text":"a b"}}]}`, ``},
		{"2025-06-18", "result", "resources/read", `{"contents":[{"uri":"file:///a","blob":"JVB-_w"}]}`, `/contents/0/blob is “JVB-_w”, which is not base64 but its variant for URLs, with - and _ for + and /`},
		{"2025-06-18", "result", "resources/templates/list", `{"resourceTemplates":[{"name":"a","uriTemplate":"file:///{path"}]}`, `/resourceTemplates/0/uriTemplate is “file:///{path”, which is not a URI template: its braces do not match`},
		{"2024-11-05", "result", "tools/call", `{"content":[{"type":"audio","data":"","mimeType":"a/b"}]}`, `/content/0/type is “audio”, and must be “text” or “image” or “resource”`},
		{"2025-11-25", "notification", "notifications/message", `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}`, `/params/level is “loud”, and must be “alert” or “critical” or “debug” or “emergency” or “error” or “info” or “notice” or “warning”`},
		{"2025-11-25", "task", "tools/call", `{"task":{"taskId":"t","status":"working","createdAt":"x","lastUpdatedAt":"x","ttl":null}}`, ``},
		{"2025-11-25", "result", "elicitation/create", `{"action":"accept","content":{"score":9.5}}`, ``},
		{"2025-11-25", "result", "elicitation/create", `{"action":"accept","content":{"score":{}}}`, `/content/score fits none of the forms it may have: it is an object, and must be a list`},
		{"2026-07-28", "result", "tools/list", `{"resultType":"complete","ttlMs":-1,"cacheScope":"public","tools":[]}`, `/ttlMs is -1, and must be at least 0`},
		{"2026-07-28", "result", "completion/complete", `{"resultType":"complete","completion":{"values":[` + strings.Repeat(`"a",`, 100) + `"a"]}}`, `/completion/values has 101 items, and may have 100 at most`},
	} {
		p := ForVersion(c.version)
		var list []Fault
		switch c.kind {
		case "request", "notification":
			list = p.Message(nil, c.method, []byte(c.raw))
		case "task":
			list = p.Named(nil, "CreateTaskResult", []byte(c.raw))
		default:
			list = p.Result(nil, c.method, []byte(c.raw))
		}
		if got := faults(list); got != c.want {
			t.Errorf("%s %s %s: got %q, want %q", c.version, c.method, c.raw, got, c.want)
		}
	}
}

// TestOutline: values of one outline have the same faults, and the same members twice. Values are
// changed at random.
func TestOutline(t *testing.T) {
	parts := []string{
		`"text"`, `"image"`, `"other"`, `"user"`, `"\u0074ext"`, `0`, `1`, `2`, `-1`, `0.5`, `1.0`, `-0.5`, `2.5`, `1e0`, `5e-1`, `true`, `false`, `null`, `{}`, `[]`,
		`{"type":"text","text":"a"}`, `{"type":"text"}`, `[{"type":"text","text":"b"},{"type":"text","text":3}]`,
		`"a\nb"`, `"te\u0078t"`, `"tools\/call"`, `{"a":1,"\u0061":2}`, `{"a":1,"a":2}`, `{"a" :{"b":[]}}`, `12`, `3.00`, `-0`, `-0.0`, `"` + strings.Repeat("\\u0074", 60) + `"`,
	}
	form := `{"content":[{"type":%s,"text":%s,"annotations":{"priority":%s,"audience":[%s]}},%s],"isError":%s,"zzz":%s,"structuredContent":%s}`
	p := ForVersion("2025-11-25")
	n, _ := p.schema.at(p.defs + "CallToolResult")
	var o outline.Outlines
	seen, twice := map[*outline.Outline]string{}, map[*outline.Outline]string{}
	r := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		args := make([]any, 8)
		for i := range args {
			args[i] = parts[r.IntN(len(parts))]
			if r.IntN(3) > 0 {
				args[i] = parts[0]
			}
		}
		raw := fmt.Appendf(nil, form, args...)
		list, _ := p.schema.check(n, raw)
		var got strings.Builder
		for _, f := range list {
			got.WriteString(f.Path + " " + f.Keyword + ";")
		}
		one := o.Of(raw)
		name, dup := wire.Duplicate(raw)
		if before, known := seen[one]; known && (before != got.String() || twice[one] != name) || one.Dup != dup || one.Twice != name {
			t.Fatalf("%s: %q, and another one of that outline %q; or %q twice for %q", raw, got.String(), before, one.Twice, name)
		}
		seen[one], twice[one] = got.String(), name
	}
}

// Of values without an outline, so many are looked at and no more.
func TestWholeValues(t *testing.T) {
	p := ForVersion("2025-11-25")
	for i := range 2 * maxWork / wholeWork {
		raw := fmt.Appendf(nil, `{"content":%d}`, i)
		if got := len(p.Result(nil, "tools/call", raw)) > 0; got != (i < maxWork/wholeWork) {
			t.Fatalf("the value %d: %v", i, got)
		}
	}
}

// TestWords: what the published schemas distinguish among texts are the words of
// package outline. UPDATE=1 writes them.
func TestWords(t *testing.T) {
	all := map[string]bool{}
	for _, version := range mcp.Versions() {
		for word := range constants(ForVersion(version).schema.doc) {
			if all[word] = true; word == "" || strings.ContainsAny(word, "\"\\") || strings.ContainsFunc(word, unicode.IsControl) {
				t.Errorf("the word %q may be written with an escape that an outline does not look at", word)
			}
		}
	}
	const file = "../../outline/words.txt"
	want := strings.Join(slices.Sorted(maps.Keys(all)), "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		os.WriteFile(file, []byte(want), 0o666)
	}
	if got, _ := os.ReadFile(file); string(got) != want {
		t.Errorf("%s is not what the schemas say; want\n%s", file, want)
	}
}

// constants are what a schema distinguishes among texts.
func constants(v any) map[string]bool {
	all := map[string]bool{}
	var read func(v any, constant bool)
	read = func(v any, constant bool) {
		switch v := v.(type) {
		case string:
			if constant {
				all[v] = true
			}
		case []any:
			for _, sub := range v {
				read(sub, constant)
			}
		case map[string]any:
			for key, sub := range v {
				_, list := sub.(map[string]any)
				read(sub, (key == "const" || key == "enum") && !list)
			}
		}
	}
	read(v, false)
	return all
}

func BenchmarkSeen(b *testing.B) {
	p := ForVersion("2025-11-25")
	raw := []byte(`{"content":[{"type":"text","text":"` + strings.Repeat("some words ", 40) + `"}],"isError":false}`)
	b.SetBytes(int64(len(raw)))
	var o outline.Outlines
	for b.Loop() {
		p.Result(o.Of(raw), "tools/call", raw)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		readPublished("2025-11-25")
	}
}
