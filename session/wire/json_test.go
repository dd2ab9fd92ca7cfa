package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

var jsonSamples = []string{
	`{"a":"` + strings.Repeat(`say \"`, 40) + strings.Repeat(`\\`, 40) + `long text at the end of it, and more` + `"}`, `{"a":"` + strings.Repeat("x", 100) + `\`, `{"` + strings.Repeat("k", 100) + `":"` + strings.Repeat("é", 100) + `\u12"}`,
	`{}`, `[]`, ` { "a" : [ 1 , -0.5e+3 , true , null , "x\u00e9\n" ] } `, `"\ud800"`, `0`, `-0`, `01`, `1.`, `1e`, `-`, `+1`,
	`{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{,}`, `{1:2}`, `"a` + "\n" + `"`, `"\x"`, `"\u12g4"`, `tru`, `nul`, `[1 2]`, `{} {}`, ``, ` `,
	`"` + strings.Repeat("long text without anything special ", 20) + `"`,
	strings.Repeat("[", 200) + strings.Repeat("]", 200), strings.Repeat(`{"a":`, 130) + "1" + strings.Repeat("}", 130),
	strings.Repeat("[", 70) + "}" + strings.Repeat("]", 69), `[{"a":[{"b":[[]]}]},"]"]`, "\"\x7f\xff\"", "{\"a\":\"tab\tinside\"}",
	`{"id":1,"id":2}`, "\xef\xbb\xbf{}", `[1e400,12345678901234567890]`, `{"a" : "b"   ,   "c"	:1}`,
}

func FuzzValid(f *testing.F) {
	for _, s := range jsonSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 || strings.Count(string(data), "[")+strings.Count(string(data), "{") > 9000 {
			return // encoding/json stops at a depth of 10,000, we do not
		}
		if got, want := Valid(data), json.Valid(data); got != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", data, got, want)
		}
		text, value := ValidLine(data)
		if want := utf8.Valid(data); text != want {
			t.Fatalf("ValidLine(%q): text %v, unicode/utf8 says %v", data, text, want)
		}
		if want := text && Valid(data) && !bytes.ContainsAny(data, "\r\n"); value != want {
			t.Fatalf("ValidLine(%q): value %v, want %v", data, value, want)
		}
	})
}

func FuzzEach(f *testing.F) {
	for _, s := range jsonSamples {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		members := 0
		var seen, trusting []byte
		Members(data, func(key, value []byte) bool {
			trusting = fmt.Appendf(trusting, "%q: %q\n", key, value)
			return true
		})
		ok := Each(data, func(key, value []byte) bool {
			members++
			seen = fmt.Appendf(seen, "%q: %q\n", key, value)
			if !json.Valid(value) {
				t.Fatalf("Each(%q): %q: %q is no value", data, key, value)
			}
			return true
		})
		if ok && !bytes.Equal(seen, trusting) {
			t.Fatalf("Members(%q): %s, and Each %s", data, trusting, seen)
		}
		trimmed := strings.TrimLeft(string(data), " \t\r\n")
		if want := json.Valid(data) && strings.HasPrefix(trimmed, "{"); ok != want && strings.Count(trimmed, "[") < 9000 {
			t.Fatalf("Each(%q) = %v, want %v", data, ok, want)
		}
		var m map[string]json.RawMessage
		if json.Unmarshal(data, &m) == nil && len(m) > members {
			t.Fatalf("Each(%q) saw %d members of %d", data, members, len(m))
		}
		Items(data, func(_ int, value []byte) bool {
			if !json.Valid(value) {
				t.Fatalf("Items(%q): %q is no value", data, value)
			}
			return true
		})
	})
}

func TestGet(t *testing.T) {
	v := []byte(`{"params": {"_meta" : {"progressToken":"a\"b"}, "n": -7, "list":[1,2]}, "last":{"n":1}, "l\u0061st":{"n":2}}`)
	if got := string(Get(v, "params", "_meta", "progressToken")); got != `"a\"b"` {
		t.Errorf("progressToken is %s", got)
	}
	if got := Text(Get(v, "params", "_meta", "progressToken")); got != `a"b` {
		t.Errorf("text is %s", got)
	}
	if n, ok := Int(Get(v, "params", "n")); !ok || n != -7 {
		t.Errorf("n is %d, %v", n, ok)
	}
	if n, ok := Int(Get(v, "last", "n")); !ok || n != 2 {
		t.Errorf("n is %d, %v: of duplicate members the last counts, however it is spelled", n, ok)
	}
	if Get(v, "params", "list", "x") != nil || Get(v, "nothing") != nil {
		t.Error("found what is not there")
	}
}

func TestScanMessage(t *testing.T) {
	for _, tc := range []struct {
		in, id, method string
		kind           MessageKind
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "1", "ping", MsgRequest},
		{`{"method":"ping","id":"1"}`, `"1"`, "ping", MsgRequest},
		{`{"jsonrpc":"2.0","method":"notifications\/initialized"}`, "", "notifications/initialized", MsgNotification},
		{`{"result":{},"id":9007199254740993,"jsonrpc":"2.0"}`, "9007199254740993", "", MsgResult},
		{`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`, "null", "", MsgError},
		{`{"jsonrpc":"2.0","error":{"code":1,"message":""}}`, "", "", MsgError},
		{`{"level":"info","method":"GET","msg":"a log line in JSON"}`, "", "", MsgInvalid},
		{`{"jsonrpc":"2.0"}`, "", "", MsgInvalid},
		{`{"jsonrpc":"2.0","id":1,"method":7}`, "", "", MsgInvalid},
		{`"text"`, "", "", MsgInvalid},
		{`{"jsonrpc":"2.0","id":1,"method":"x"`, "", "", MsgInvalid},
	} {
		m, ok := ScanMessage([]byte(tc.in))
		if ok != (tc.kind != MsgInvalid) || m.Kind != tc.kind || string(m.ID) != tc.id && tc.kind != MsgInvalid || string(m.Method) != tc.method {
			t.Errorf("%s: kind %d, id %q, method %q", tc.in, m.Kind, m.ID, m.Method)
		}
	}
}

func TestScanMessagesBatch(t *testing.T) {
	var kinds []MessageKind
	collect := func(_ int, m Message) bool { kinds = append(kinds, m.Kind); return true }
	n, batch := ScanMessages([]byte(` [{"jsonrpc":"2.0","id":1,"method":"a"}, 3, {"jsonrpc":"2.0","method":"b"}] `), collect)
	if n != 3 || !batch || len(kinds) != 3 || kinds[0] != MsgRequest || kinds[1] != MsgInvalid || kinds[2] != MsgNotification {
		t.Errorf("%d messages, batch %v: %v", n, batch, kinds)
	}
	for _, no := range []string{`[]`, `[1,2]`, `[`, `hello`, ``, `[{"a":1}]`} {
		if n, _ := ScanMessages([]byte(no), collect); n != 0 {
			t.Errorf("%q counts %d messages", no, n)
		}
	}
}

func BenchmarkScanMessage(b *testing.B) {
	msg := []byte(`{"jsonrpc":"2.0","id":4711,"method":"tools/call","params":{"name":"search_files","arguments":{"query":"auth","path":"/srv/data/projects/one","limit":20},"_meta":{"progressToken":17,"trace":"abcdefghij"}}}`)
	b.SetBytes(int64(len(msg)))
	for b.Loop() {
		if _, ok := ScanMessage(msg); !ok {
			b.Fatal("no message")
		}
	}
}

func BenchmarkValidLongString(b *testing.B) {
	msg := []byte(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", 256<<10) + `"}}`)
	b.SetBytes(int64(len(msg)))
	for b.Loop() {
		if !Valid(msg) {
			b.Fatal("invalid")
		}
	}
}

// What is asked of every payload that is recorded.
func BenchmarkValidLine(b *testing.B) {
	plain := "The quick brown fox jumps over the lazy dog. "
	for name, text := range map[string]string{"ascii": plain, "utf-8": plain + "Größe. ", "code": "if x {\\n\\treturn \\\"no\\\"\\n}\\n"} {
		for _, n := range []int{200, 4 << 10, 256 << 10} {
			data := []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat(text, n/len(text)) + `"}]}}`)
			if _, ok := ValidLine(data); !ok {
				b.Fatal("not valid")
			}
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					ValidLine(data)
				}
			})
			b.Run(fmt.Sprintf("%s/%d/apart", name, n), func(b *testing.B) {
				b.SetBytes(int64(len(data)))
				for b.Loop() {
					_ = utf8.Valid(data) && bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 && Valid(data)
				}
			})
		}
	}
}

func TestStringEnd(t *testing.T) {
	for text, want := range map[string]int{
		`"a"b`: 3, `""`: 2, `"\""x`: 4, `"\\"x`: 4, `"\\\""`: 6, `"a`: 2, `"a\`: 3, `"a\"`: 4, `"`: 1,
	} {
		if got := StringEnd([]byte(text), 0); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}
