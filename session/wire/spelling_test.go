package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"midwire/session/words/wordstest"
)

func TestUnescaped(t *testing.T) {
	for in, want := range map[string][]string{
		`{"a":"plain"}`: nil, ``: nil, `\`: nil, `a\`: nil, `\x \u12 \u12g4`: nil,
		`"caf\u00e9 \ud83d\ude00 \u003Cb\u003e"`: {`"café 😀 <b>"`},
		`"https:\/\/a\tb"`:                       {"\"https://a\tb\""},
		`"{\"q\":\"say \\\"\\u00e9\\\"\"}"`:      {`"{"q":"say \"\u00e9\""}"`, `"{"q":"say "é""}"`},
		`"\\\\\\\\\\\\\\\\x"`:                    {`"\\\\\\\\x"`, `"\\\\x"`, `"\\x"`},
		`"\ud83d x \ud83d\u0041"`:                {"\"\ufffd x \ufffdA\""},
	} {
		before := strings.Clone(in)
		var got []string
		for text := range Unescaped([]byte(in)) {
			got = append(got, string(text))
		}
		if !slices.Equal(got, want) || in != before {
			t.Errorf("%s is %q, not %q", in, got, want)
		}
	}
}

// FuzzUnescaped: a text stands in its JSON, and in JSON that is inside a string, in every
// spelling, and nothing becomes longer.
func FuzzUnescaped(f *testing.F) {
	for _, s := range wordstest.Texts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for range Unescaped([]byte(s)) {
		}
		s = strings.ToValidUTF8(s, "")
		if s == "" || len(s) > 1<<12 || strings.ContainsRune(s, '\\') {
			return
		}
		once, _ := json.Marshal(s) // <, > and & as \u003c, \u003e and \u0026
		twice, _ := json.Marshal(string(once))
		for level, payload := range [][]byte{once, twice} {
			found, size := bytes.Contains(payload, []byte(s)), len(payload)
			for text := range Unescaped(payload) {
				if len(text) > size {
					t.Fatalf("%q became longer: %q", payload, text)
				}
				size = len(text)
				found = found || bytes.Contains(text, []byte(s))
			}
			if !found {
				t.Fatalf("%q is not found in %q, level %d", s, payload, level)
			}
		}
	})
}
