package replaying

import (
	"strings"
	"testing"
)

func TestChangedWords(t *testing.T) {
	for _, c := range []struct{ was, now, inWas, inNow string }{
		{`"text": "disk busy, retry 7"`, `"text": "read_file result 7 for login6 (v2)"`, "disk busy, retry", "read_file result for login6 (v2)"},
		{`"type": "string"`, `"type": "object"`, "string", "object"},
		{`"n": 1,`, `"n": 1`, ",", ""},
		{`same`, `same`, "", ""},
		{``, `"x"`, "", `"x"`},
	} {
		was, now := wordsOf(c.was), wordsOf(c.now)
		inWas, inNow := changedWords(was, now)
		show := func(w []string, in []bool) string {
			var out strings.Builder
			for i := range w {
				if in[i] {
					out.WriteString(w[i])
				}
			}
			return strings.Join(strings.Fields(out.String()), " ")
		}
		strip := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if a, b := show(was, inWas), show(now, inNow); strip(a) != strip(c.inWas) || strip(b) != strip(c.inNow) {
			t.Errorf("%s / %s: %q and %q", c.was, c.now, a, b)
		}
		if strings.Join(was, "") != c.was {
			t.Errorf("%q does not add up to %q", was, c.was)
		}
	}
}
