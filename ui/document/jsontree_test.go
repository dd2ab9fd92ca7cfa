package document

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"midwire/session/safe"
	"midwire/session/words/wordstest"
	"midwire/ui/term"
)

// shownText is what a document shows, without what its lines are broken into.
func shownText(d *Doc) string {
	var b strings.Builder
	for i, last := d.Near(0), -1; i != last && len(d.Lines) > 0; {
		dl := &d.Lines[i]
		if dl.goes == 0 && i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(dl.Text())
		th := term.Coloured(true)
		for _, s := range d.tail(i, &th, "…") {
			b.WriteString(string(s.Text))
		}
		last, i = i, d.step(i, 1)
	}
	return b.String()
}

func jsonDoc(data string, w int) *Doc {
	th := term.Coloured(true)
	d := Doc{Width: w}
	d.Body(&th, []byte(data), w)
	return &d
}

const tooled = `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"one\ntwo\tx\n"},` +
	`{"type":"text","text":" {\"a\":[1,2,{\"b\":\"x\\ny\"}]}"},{"type":"image","data":"PNG","mimeType":"image/png"},` +
	`{"type":"resource","resource":{"uri":"file:///x","mimeType":"text/plain","blob":"aGVsbG8Kd29ybGQK"}}],"isError":false,"none":{},"also":[]}}`

// png is the beginning of a picture of 800 by 600.
func png() string {
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x03\x20\x00\x00\x02\x58\x08\x06\x00\x00\x00"), make([]byte, 9000)...)
	return base64.StdEncoding.EncodeToString(b)
}

func TestFolding(t *testing.T) {
	d := jsonDoc(strings.Replace(tooled, "PNG", png(), 1), 80)
	d.Folds.All(FoldAll)
	want := "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 3,\n  \"result\": { … 4 }\n}"
	if got := shownText(d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	d.Folds.All(foldAsMade)
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.open == '[' && n.Parent == 3 {
			Flip(&d.Folds.odd, int32(i))
		}
	}
	want = `{
  "jsonrpc": "2.0",
  "id": 3,
  "result": {
    "content": [ … 4 ],
    "isError": false,
    "none": {},
    "also": []
  }
}`
	if got := shownText(d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatStringsStandFor(t *testing.T) {
	d := jsonDoc(strings.Replace(tooled, "PNG", png(), 1), 80)
	got := shownText(d)
	for _, want := range []string{
		"\"text\": text, 2 lines\n          one\n          two x\n      },",
		"\"text\": JSON in a string, 25 bytes\n          {\n            \"a\": [\n              1,\n              2,\n              {\n                \"b\": text, 2 lines\n                  x\n",
		"\"data\": image/png, 8.8kB in base64\n        \"mimeType\": \"image/png\"",
		"\"blob\": text/plain, 12 bytes in base64 …\n        }",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	for i := range d.Nodes {
		if d.Nodes[i].shut {
			Flip(&d.Folds.odd, int32(i))
		}
	}
	if got := shownText(d); !strings.Contains(got, "in base64\n            hello\n            world\n        }") {
		t.Errorf("the decoded text is missing in\n%s", got)
	}
}

func TestPaths(t *testing.T) {
	d := jsonDoc(`{"result":{"content":[{"text":"{\"files\":[\"x\"]}"}],"_meta":{"openai/session":[[1]],"":2}}}`, 80)
	var got []string
	for i := range d.Nodes {
		got = append(got, d.Path(int32(i), ">"))
	}
	want := []string{
		"", "result", "result.content", "result.content[0]", "result.content[0].text", "result.content[0].text >", "result.content[0].text > files", "result.content[0].text > files[0]",
		"result._meta", `result._meta."openai/session"`, `result._meta."openai/session"[0]`, `result._meta."openai/session"[0][0]`, `result._meta.""`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestLongJSON lays out no more of a long payload than it must, and what is
// beyond the end can be folded away.
func TestLongJSON(t *testing.T) {
	for _, data := range []string{
		"[" + strings.Repeat("{\"a\":1},", 400_000) + "0]",
		`{"text":"` + strings.Repeat("line of text\\n", 1_000_000) + `"}`,
		`{"x":"` + strings.Repeat("x", 10<<20) + `","y":1}`,
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		`{"` + strings.Repeat("k", 5<<20) + `":1}`,
	} {
		d := jsonDoc(data, 80)
		if n := len(d.Lines); n > 300_000 || n < 3 {
			t.Errorf("%.10s…: %d lines", data, n)
		}
		if got := textLines(d, 80); !strings.Contains(strings.Join(got[len(got)-3:], "\n"), "are in the recording and not shown here") {
			t.Errorf("%.10s…: nothing says that there is more: %q", data, got[len(got)-3:])
		}
		d.Folds.All(FoldAll)
		if Flip(&d.Folds.odd, 0); len(shownText(d)) > 1000 && data[0] != '{' {
			t.Errorf("%.10s…: folded it shows\n%.2000s", data, shownText(d))
		}
	}
}

// FuzzTree: unfolded, a tree is the readable indented JSON, where no string is shown decoded; whatever is
// folded, every line is shown or stood for, and the way down is the way up.
func FuzzTree(f *testing.F) {
	for i, s := range []string{tooled, `{"a":{"b":[]},"c":"x\ny"}`, "0\r", " [1 , {\"a\" : null}]\n\n", `"\u001b\n\"{}"`, `{"":{"":"[[1,2],\"\\n\"]"}}`, "{\"a\":\"検索\u202e\\n\x9b\"}\r\n", `{"data":"aGVsbG8K","mimeType":"text/plain"}`} {
		f.Add(s, 10+i*9, uint64(i))
	}
	for i, s := range wordstest.JSON() {
		f.Add("{"+s+":["+s+",{"+s+":1}]}", 8+i, uint64(i))
	}
	f.Fuzz(func(t *testing.T, s string, w int, seed uint64) {
		if w < 8 || w > 200 || len(s) > 1<<10 || !json.Valid([]byte(s)) {
			return
		}
		d := jsonDoc(s, w)
		r := rand.New(rand.NewPCG(seed, 1))
		for range r.IntN(8) {
			i := int32(r.IntN(len(d.Nodes)))
			if r.IntN(5) == 0 {
				d.Folds.All(FoldMode(r.IntN(3)))
			} else {
				Flip(&d.Folds.odd, i)
			}
			walkBothWays(t, d)
		}
		d.Folds.All(FoldNone)
		walkBothWays(t, d)
		if slices.ContainsFunc(d.Nodes, func(n jsonNode) bool { return n.Stands }) {
			return
		}
		var want bytes.Buffer
		json.Indent(&want, []byte(s), "", "  ")
		var lines []string
		for one := range bytes.Lines(want.Bytes()) {
			lines = append(lines, string(safe.Unmarked(safe.Marked(ReadableJSON(strings.TrimSuffix(string(one), "\n"))))))
		}
		if got := shownText(d); got != strings.Join(lines, "\n") {
			t.Fatalf("got\n%q\nwant\n%q", got, strings.Join(lines, "\n"))
		}
	})
}

func walkBothWays(t *testing.T, d *Doc) {
	t.Helper()
	var down []int
	for i, last := d.Near(0), -1; i != last; last, i = i, d.step(i, 1) {
		down = append(down, i)
	}
	at := map[int]bool{}
	for _, i := range down {
		at[i] = true
		if _, not := d.hidden(i); not {
			t.Fatalf("line %d is shown and hidden", i)
		}
	}
	for i := range d.Lines {
		if _, not := d.hidden(i); not == at[i] {
			t.Fatalf("line %d: hidden %v, passed %v", i, not, at[i])
		}
		if !at[d.Near(i)] {
			t.Fatalf("nothing stands for line %d", i)
		}
	}
	for k, i := len(down)-1, d.step(down[0], 1<<30); k >= 0; k-- {
		if i != down[k] {
			t.Fatalf("on the way up at %d, on the way down at %d", i, down[k])
		}
		i = d.step(i, -1)
	}
}

func TestMedia(t *testing.T) {
	for _, tt := range []struct{ bytes, mime, want string }{
		{"GIF89a\x0a\x00\x14\x00", "image/gif", "image/gif, 10 bytes in base64"},
		{"RIFF....WAVE", "audio/wav", "audio/wav, 12 bytes"},
		{"RIFF....WAVE", "", "bytes of no declared type, 12 bytes"},
		{"\x89PNG\r\n\x1a\n", "IMAGE/PNG", "image/png, 8 bytes"},
	} {
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
			m, ok := readMedia(tt.mime, []byte(enc.EncodeToString([]byte(tt.bytes))))
			if !ok || !strings.HasPrefix(string(m.words()), tt.want) || string(m.Decoded(1<<20)) != tt.bytes {
				t.Errorf("%q: %v %q, want %q", tt.bytes, ok, m.words(), tt.want)
			}
		}
	}
	for _, no := range []string{"", "abc", "hello world", "ab=c", "abcde", "aGVsbG8K=", `aG\n`} {
		if m, ok := readMedia("image/png", []byte(no)); ok && no != "abc" {
			t.Errorf("%q is taken for %q", no, m.words())
		}
	}
}
