package gate

import (
	"testing"

	"midwire/session/jsonpath"
)

// TestRemoveMember: what is taken away takes one comma with it, and what stays keeps its
// bytes.
func TestRemoveMember(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":1,"b":2,"c":3}`, "a", `{"b":2,"c":3}`},
		{`{"a": 1, "b": 2, "c": 3}`, "b", `{"a": 1, "c": 3}`},
		{`{"a": 1, "b": 2 }`, "b", `{"a": 1 }`},
		{` { "a" : [1] } `, "a", ` {} `},
		{`{"x":{"a":[1, 2 ,3]},"y":[]}`, "x.a[0]", `{"x":{"a":[2 ,3]},"y":[]}`},
		{`{"x":{"a":[1, 2 ,3]},"y":[]}`, "x.a[2]", `{"x":{"a":[1, 2]},"y":[]}`},
		{`{"x":{"a":[1, 2 ,3]},"y":[]}`, "x", `{"y":[]}`},
		{`{"x":{"a":[1, 2 ,3]},"y":[]}`, "z", `{"x":{"a":[1, 2 ,3]},"y":[]}`},
		{`{"a\"}":{"b,":"}"},"c":"]"}`, "c", `{"a\"}":{"b,":"}"}}`},
		{`[{"a":1},{"a":2}]`, "[1].a", `[{"a":1},{}]`},
	} {
		path, err := jsonpath.Parse(c[1])
		if err != nil {
			t.Fatalf("%s: %v", c[1], err)
		}
		if got, _ := removeMember([]byte(c[0]), path); string(got) != c[2] {
			t.Errorf("%s without %s is %s, want %s", c[0], c[1], got, c[2])
		}
	}
}
