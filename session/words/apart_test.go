package words

import (
	"strings"
	"testing"
)

func TestApart(t *testing.T) {
	for _, c := range [][4]string{
		{"", "", "", ""},
		{"a b c", "a b c", "", ""},
		{"a b c", "", "a b c", ""},
		{"", "a b", "", "a b"},
		{"a b c d", "a x c y", "b d", "x y"},
		{"one two three", "three one two", "three", "three"},
	} {
		a, b := strings.Fields(c[0]), strings.Fields(c[1])
		onlyA, onlyB := Unmatched(a, b)
		only := func(all []string, apart []bool) string {
			var out []string
			for i, is := range apart {
				if is {
					out = append(out, all[i])
				}
			}
			return strings.Join(out, " ")
		}
		if x, y := only(a, onlyA), only(b, onlyB); x != c[2] || y != c[3] {
			t.Errorf("%q and %q: %q and %q", c[0], c[1], x, y)
		}
	}
}
