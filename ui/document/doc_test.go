package document

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"midwire/session/safe"
	"midwire/session/wire"
	"midwire/session/words/wordstest"
	"midwire/ui/term"
)

// text draws a document without colours.
func textLines(d *Doc, w int) []string {
	th, sg := term.Coloured(true), term.Unicode()
	var out []string
	for _, s := range d.All(&term.Screen{Theme: &th, Glyphs: &sg}, w, 0) {
		out = append(out, strings.TrimRight(ansi.Strip(s), " "))
	}
	return out
}

func bodyDoc(data string, w int) *Doc {
	th := term.Coloured(true)
	d := &Doc{Width: w}
	d.Append(&th, []Part{{Pretty: true, Data: []byte(data)}}, w)
	return d
}

func TestBodyIsIndentedAndWrapped(t *testing.T) {
	got := strings.Join(textLines(bodyDoc(`{"a":"one two three four","b":[1,true,null]}`, 20), 20), "\n")
	want := "{\n  \"a\": \"one two thre\n    e four\",\n  \"b\": [\n    1,\n    true,\n    null\n  ]\n}"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestEscapesStayAsTheyWere(t *testing.T) {
	got := strings.Join(textLines(bodyDoc("{\"a\":\"\\u001b[2J\",\"b\":\"\u202e\"}", 60), 60), "\n")
	if !strings.Contains(got, `"\u001b[2J"`) || !strings.Contains(got, `"\u202e"`) {
		t.Errorf("got %s", got)
	}
}

func TestColours(t *testing.T) {
	var parts []string
	var x lexer
	names := [...]string{"p", "k", "s", "n", "w"}
	x.colour(`"a\"b": ["x", -1.5e3, true]`, func(p jsonPart, s string) { parts = append(parts, names[p]+s) })
	want := `k"a\"b" p: p  p[ s"x" p, p  n-1.5e3 p, p  wtrue p]`
	if got := strings.Join(parts, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// JSON keeps the white space behind it when it is indented: a carriage return
// is a stand-in outside of every string.
func TestCarriageReturnBehindJSON(t *testing.T) {
	for body, want := range map[string]string{"0\r": "0␍", "{}\r\n": "{}␍", "[1]\r\r": "[  1]␍␍"} {
		if got := strings.Join(textLines(bodyDoc(body, 20), 20), ""); got != want {
			t.Errorf("%q: got %q want %q", body, got, want)
		}
	}
}

func FuzzBody(f *testing.F) {
	for _, s := range []string{"{}", `{"a":"` + strings.Repeat("検索 ", 30) + `"}`, "a\nb\x1b", "👩\u200d👧\u0301", "0\r", `["\u001b\"` + "\u009b" + `"]`} {
		f.Add(s, 20)
	}
	for i, s := range append(wordstest.Texts(), wordstest.JSON()...) {
		f.Add(s, 8+i)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		if w < 8 || w > 200 || len(s) > 4000 {
			return
		}
		d := bodyDoc(s, w)
		var joined strings.Builder
		for i, l := range textLines(d, w) {
			if n := term.Width(safe.Text(l)); n > w {
				t.Fatalf("line %d takes %d cells of %d: %q", i, n, w, l)
			}
			joined.WriteString(strings.ReplaceAll(l, " ", ""))
		}
		if strings.ContainsAny(joined.String(), "\x01\x02\x1b") {
			t.Fatalf("a control character in %q", joined.String())
		}
		if wire.Valid([]byte(s)) {
			return
		}
		var want strings.Builder
		for one := range strings.Lines(s) {
			want.WriteString(strings.ReplaceAll(string(safe.Unmarked(safe.Marked(strings.TrimSuffix(one, "\n")))), " ", ""))
		}
		if joined.String() != want.String() {
			t.Fatalf("got %q want %q", joined.String(), want.String())
		}
	})
}

// A stand-in that is wider than the pane goes on in the next line.
func TestStandInWiderThanThePane(t *testing.T) {
	if got := strings.Join(textLines(bodyDoc("\U00103a6c0", 8), 8), ""); strings.ReplaceAll(got, " ", "") != `\U00103a6c0` {
		t.Errorf("got %q", got)
	}
}

// TestSearchFindsTheTextOfJSON: what is looked for is a text and not its JSON.
func TestSearchFindsTheTextOfJSON(t *testing.T) {
	d := bodyDoc(`{"a":"say \"hi\" \u003cb\u003e caf\u00e9 https:\/\/h C:\\x"}`, 200)
	for _, text := range []string{`say "hi"`, `say \"hi\"`, "<B>", "café", "https://h", `c:\x`} {
		s := Search{text: text}
		if s.In(d); len(s.Hits) != 1 {
			t.Errorf("%s: %d hits in\n%s", text, len(s.Hits), strings.Join(textLines(d, 200), "\n"))
		}
	}
}
