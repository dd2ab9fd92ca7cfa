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
		for method := range p.requests {
			p.Request(nil, method, []byte(`{"params":{}}`))
			if name := p.results[method].name; name == "EmptyResult" && !strings.Contains("ping logging/setLevel resources/subscribe resources/unsubscribe", method) {
				t.Errorf("%s %s has no result of its own", r, method)
			}
			p.Result(nil, method, []byte(`{}`))
		}
		for method := range p.notifications {
			p.Notification(nil, method, []byte(`{"params":{}}`))
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
		case "request":
			list = p.Request(nil, c.method, []byte(c.raw))
		case "notification":
			list = p.Notification(nil, c.method, []byte(c.raw))
		case "task":
			list = p.Task(nil, []byte(c.raw))
		default:
			list = p.Result(nil, c.method, []byte(c.raw))
		}
		if got := faults(list); got != c.want {
			t.Errorf("%s %s %s: got %q, want %q", c.version, c.method, c.raw, got, c.want)
		}
	}
}

// TestShape: what is remembered of a structure is what was found in it. Values
// are changed at random, and whenever two have the same shape they have the
// same faults.
func TestShape(t *testing.T) {
	parts := []string{
		`"text"`, `"image"`, `"other"`, `"user"`, `"\u0074ext"`, `0`, `1`, `2`, `-1`, `0.5`, `1.0`, `-0.5`, `2.5`, `1e0`, `5e-1`, `true`, `false`, `null`, `{}`, `[]`,
		`{"type":"text","text":"a"}`, `{"type":"text"}`, `[{"type":"text","text":"b"},{"type":"text","text":3}]`,
	}
	form := `{"content":[{"type":%s,"text":%s,"annotations":{"priority":%s,"audience":[%s]}},%s],"isError":%s,"zzz":%s,"structuredContent":%s}`
	p := ForVersion("2025-11-25")
	seen := map[uint64]string{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4_000 {
		args := make([]any, 8)
		for i := range args {
			args[i] = parts[r.IntN(len(parts))]
		}
		raw := fmt.Appendf(nil, form, args...)
		h, ok := p.shape(raw)
		n, _ := p.schema.at(p.defs + "CallToolResult")
		list, _ := p.schema.check(n, raw)
		var got strings.Builder
		for _, f := range list {
			got.WriteString(f.Path + " " + f.Keyword + ";")
		}
		if before, known := seen[h]; !ok || known && before != got.String() {
			t.Fatalf("%s: %q, and another one of that shape %q", raw, got.String(), before)
		}
		seen[h] = got.String()
	}
	testOutlines(t, p, form, parts)
	one, _ := p.shape([]byte(`{"content":[{"type":"text","text":"a long one"}],"x":{"p":"1","q":"2"}}`))
	two, _ := p.shape([]byte(`{ "x" : {"r":"1"}, "content" : [ {"text":"","type":"text"}, {"type":"text","text":"b \" c"} ] }`))
	if one != two {
		t.Error("the same structure has two shapes")
	}
	if _, ok := p.shape([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))); ok {
		t.Error("a value of 1000 levels was looked at")
	}
}

// TestWords: what the published schemas distinguish among texts are the words of
// package outline. UPDATE=1 writes them.
func TestWords(t *testing.T) {
	all := map[string]bool{}
	for _, version := range mcp.Versions() {
		for word := range ForVersion(version).words {
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

// testOutlines: values of one outline have the same shape, and the same members twice.
func testOutlines(t *testing.T, p *Protocol, form string, parts []string) {
	t.Helper()
	var o outline.Outlines
	parts = append(slices.Clone(parts), `"a\nb"`, `"te\u0078t"`, `"tools\/call"`, `{"a":1,"\u0061":2}`, `{"a":1,"a":2}`, `{"a" :{"b":[]}}`, `12`, `3.00`, `-0`, `-0.0`, `"`+strings.Repeat("\\u0074", 60)+`"`)
	shapes, twice := map[*outline.Outline]uint64{}, map[*outline.Outline]string{}
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
		one := o.Of(raw)
		h, _ := p.shape(raw)
		name, dup := wire.Duplicate(raw)
		if before, known := shapes[one]; known && (before != h || twice[one] != name) || one.Dup != dup || one.Twice != name {
			t.Fatalf("%s: other shapes, or %q twice for %q", raw, one.Twice, name)
		}
		shapes[one], twice[one] = h, name
	}
}

func FuzzShape(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\\",{"b":null}]}`))
	p := ForVersion("2026-07-28")
	f.Fuzz(func(t *testing.T, raw []byte) {
		one, _ := p.shape(raw)
		if two, _ := p.shape(raw); one != two {
			t.Fatal("two shapes of one value")
		}
	})
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
