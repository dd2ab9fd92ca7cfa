package jsonpath

import (
	"slices"
	"strings"
	"testing"
)

// What can be written in rules, on the command line and copied from the screen
// is read, and written in one form only.
func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"result":                  "result",
		"result.content[0].text":  "result.content[0].text",
		`_meta."openai/session"`:  `_meta."openai/session"`,
		`"plain"."a\u0062c"`:      "plain.abc",
		`""`:                      `""`,
		`"a.b"."c\"d"`:            `"a.b"."c\"d"`,
		"[0].params":              "[0].params",
		"[*].*.**":                "[*].*.**",
		"**.id":                   "**.id",
		"a-b.$ref._x.9":           "a-b.$ref._x.9",
		`"größe"`:                 `"größe"`,
		"x[12][0]":                "x[12][0]",
		"***":                     "",
		"":                        "",
		".a":                      "",
		"a.":                      "",
		"a..b":                    "",
		"a[01]":                   "",
		"a[-1]":                   "",
		"a[":                      "",
		"a[x]":                    "",
		"a b":                     "",
		"größe":                   "",
		`"open`:                   "",
		"a.[0]":                   "a[0]",
		"/a/b":                    "",
		strings.Repeat("a", 4096): strings.Repeat("a", 4096),
		strings.Repeat("a", 4097): "",
	} {
		p, err := Parse(text)
		if want == "" != (err != nil) || p.String() != want {
			t.Errorf("%.50q is read as %.50q, %v", text, p, err)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "path ") {
			t.Errorf("%.50q: %v", text, err)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		yes, no []string
	}{
		{"result.content[0]", []string{"result.content[0]", "result.content[0].text"}, []string{"result.content", "result.content[1]", "params.content[0]"}},
		{"result.*.id", []string{"result.a.id", "result.a.id[3]"}, []string{"result.id", "result.a.b.id", "result[0].id"}},
		{"result[*]", []string{"result[0]", "result[9].x"}, []string{"result", "result.x"}},
		{"**.id", []string{"id", "a.id", "a[0].b.id", "id.id"}, []string{"a.ids", "a[0]"}},
		{"a.**.b", []string{"a.b", "a.x.b", "a[1].x.b.c"}, []string{"b", "x.a.b", "a.x"}},
		{`"*"`, []string{`"*"`, `"*".x`}, []string{"x"}},
	} {
		p, err := Parse(tt.pattern)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range slices.Concat(tt.yes, tt.no) {
			place, err := Parse(text)
			if got := p.Matches(place); err != nil || got != (i < len(tt.yes)) {
				t.Errorf("%s covers %s: %v, %v", tt.pattern, text, got, err)
			}
		}
	}
}

func TestFind(t *testing.T) {
	const raw = ` {"a": {"b" : [1, {"c/d":"x"}], "b2":null}, "n\u0061me": "y", "twice":1, "twice":[2]} `
	for text, want := range map[string]string{
		"a.b[0]": "1", "a.b[1]": `{"c/d":"x"}`, `a.b[1]."c/d"`: `"x"`, "a.b2": "null", "name": `"y"`, "twice": "[2]", "twice[0]": "2",
		"a.b[2]": "", "a.c": "", "a[0]": "", "a.b.c": "", "twice[0].x": "",
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		from, to, ok := p.Find([]byte(raw))
		if ok != (want != "") || raw[from:to] != want || string(p.Get([]byte(raw))) != want {
			t.Errorf("%s is %q, %v, want %q", text, raw[from:to], ok, want)
		}
	}
	if from, to, ok := Path(nil).Find([]byte("17")); from != 0 || to != 2 || !ok {
		t.Error("no path is the value itself")
	}
}

func TestLeaves(t *testing.T) {
	var got []string
	all := func(raw string) {
		got = nil
		Leaves([]byte(raw), nil, func(p Path, v []byte) bool {
			got = append(got, p.String()+" "+p.Last()+" "+string(v))
			return len(got) < 6
		})
	}
	all(`{"a":[1,"x",{"b":{}}],"c":[],"d":null,"e":[[true]],"f":5}`)
	if want := []string{"a[0] a 1", `a[1] a "x"`, "a[2].b b {}", "c c []", "d d null", "e[0][0] e true"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	all(strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1))
	if len(got) != 0 {
		t.Errorf("too deep, and yet %q", got)
	}
	all("")
	if len(got) != 0 {
		t.Errorf("of nothing %q", got)
	}
}

// A name on the screen is copied as it stands in the payload, unless it is a
// word. Either way it is read as the same name.
func TestName(t *testing.T) {
	for quoted, want := range map[string]string{
		`"text"`: "text", `"te\u0078t"`: "text", `""`: `""`, `"a b"`: `"a b"`, `"a\/b"`: `"a\/b"`, `"\u00e9"`: `"\u00e9"`,
	} {
		got := Name([]byte(quoted))
		p, err := Parse(got)
		if got != want || err != nil || len(p) != 1 {
			t.Errorf("%s is %s, want %s; %v", quoted, got, want, err)
		}
	}
}
