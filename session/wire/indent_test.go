package wire

import (
	"strings"
	"testing"
)

// Laying out never makes a value many times longer.
func TestIndent(t *testing.T) {
	if got, ok := Indent([]byte(`{"a":[1,"]"],"b":{}}`), ">"); !ok || string(got) != "{\n>  \"a\": [\n>    1,\n>    \"]\"\n>  ],\n>  \"b\": {}\n>}" {
		t.Errorf("%v %s", ok, got)
	}
	nest := func(n int, inside string) string { return strings.Repeat("[", n) + inside + strings.Repeat("]", n) }
	for name, text := range map[string]string{
		"no JSON": "{", "no string": `"`, "deep": nest(65, "1"), "deep and wide": nest(9000, strings.Repeat("1,", 100_000)+"1"), "long": "[" + strings.Repeat("1,", 3<<20) + "1]",
	} {
		if got, ok := Indent([]byte(text), ""); ok {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
	if _, ok := Indent([]byte(nest(64, `"`+strings.Repeat("[", 100)+`"`)), ""); !ok {
		t.Error("64 levels are not laid out")
	}
}
