package wire

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"midwire/session/words/wordstest"
)

func TestTextStart(t *testing.T) {
	for _, s := range []string{"", "a", "é", "a\nb", "\\", `"`, "a\\\\\nb", "\u2028 x", strings.Repeat("\\\n\"", 9), "\x01\x02\x03", "grüße 世界"} {
		raw, _ := json.Marshal(s)
		for n := range len(raw) + 2 {
			got := TextStart(raw, n)
			if !strings.HasPrefix(s, got) {
				t.Errorf("%s, %d: %q", raw, n, got)
			}
			if most := len(`\u0000`); len(got) < min(n, len(raw)-2)/most-1 || n >= len(raw) && got != s {
				t.Errorf("%s, %d: only %q", raw, n, got)
			}
		}
		if got := TextLen(raw); got != len(s) {
			t.Errorf("%s: %d bytes, not %d", raw, got, len(s))
		}
	}
	for _, raw := range []string{"", "1", "null", `{"a":"b"}`} {
		if TextStart([]byte(raw), 2) != "" || TextLen([]byte(raw)) != 0 {
			t.Error(raw)
		}
	}
}

// FuzzTextStart wants the beginning to be one, and the bytes to stay.
func FuzzTextStart(f *testing.F) {
	f.Add("a\n\"\\é\u2028", 3)
	f.Add("\\u00e9", 2)
	for i, s := range wordstest.Valid() {
		f.Add(s, i)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 0 || n > 1000 || !utf8.ValidString(s) {
			return
		}
		raw, _ := json.Marshal(s)
		was := string(raw)
		if got := TextStart(raw, n); !strings.HasPrefix(s, got) {
			t.Errorf("%s, %d: %q", raw, n, got)
		}
		if got := TextLen(raw); got != len(s) || string(raw) != was {
			t.Errorf("%s: %d bytes, not %d", raw, got, len(s))
		}
	})
}
