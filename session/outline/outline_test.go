package outline

import (
	"fmt"
	"strings"
	"testing"

	"midwire/session/wire"
)

// TestOutlines: what texts and numbers say does not count, all else does.
func TestOutlines(t *testing.T) {
	var o Outlines
	of := func(raw string) *Outline { return o.Of([]byte(raw)) }
	one := of(`{"method":"tools/call","params":{"name":"a","n":12}}`)
	for _, c := range []struct {
		raw  string
		same bool
	}{
		{`{"method":"tools/call","params":{"name":"another \" one","n":345}}`, true},
		{`{"method":"tools\/call","params":{"name":"\u0061","n":12}}`, true},
		{`{"method":"tools/list","params":{"name":"a","n":12}}`, false},
		{`{"method":"tools/call","params":{"name":"a","n":12.5}}`, false},
		{`{"method":"tools/call","params":{"name":"a","n":"12"}}`, false},
		{`{"method":"tools/call","params":{"name":"a","m":12}}`, false},
	} {
		if got := of(c.raw); (got == one) != c.same || (got.Hash == one.Hash) != c.same {
			t.Errorf("%s: the same outline: %v, want %v", c.raw, got == one, c.same)
		}
	}
	if two := of(`{"a":1,"b":{"c":1,"c":2}}`); !two.Dup || two.Twice != "c" || one.Dup {
		t.Errorf("a member that is there twice is %q", two.Twice)
	}
	if of(`{"x":[`+strings.Repeat("1,", maxOutline)+`1]}`) != nil || of(`"`+strings.Repeat("x", maxValue)+`"`) != nil {
		t.Error("an outline beyond its bounds")
	}
	for i := range 3 * maxOutlines {
		of(fmt.Sprintf(`{"k%d":1}`, i))
	}
	if len(o.seen) > maxOutlines {
		t.Errorf("%d outlines are kept", len(o.seen))
	}
}

func FuzzOutline(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\\",{"b":null}],"a":-0.5e3}`))
	var o Outlines
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, ok := wire.ScanMessage(raw); ok {
			one := o.Of(m.Raw)
			if two := o.Of(m.Raw); one != nil && two != nil && one.Hash != two.Hash {
				t.Fatal("two outlines of one message")
			}
		}
	})
}
