package diagnose

import (
	"strings"
	"testing"

	"midwire/session"
	"midwire/session/wire"
)

func TestSentence(t *testing.T) {
	c := &Case{
		Event: &session.Event{N: 7, Dir: wire.ToServer},
		Call:  &Call{N: 5, Method: "tools/call", Target: "echo"},
		asked: &asked{Rule: &Rule{ID: "some-rule", Says: map[string]string{
			"":       "{sender} sent {about} in #{n}[: “{why}”][, {n} and “{also}”].",
			"quoted": "It has “{value}”, as written {value}.",
		}}},
	}
	for _, one := range []struct {
		name, want string
		with       Values
	}{
		{"", "The client sent tools/call “echo” (#5) in #7.", nil},
		{"", "The client sent tools/call “echo” (#5) in #7: “{n} [x]”.", Values{"why": " {n} [x] ", "also": ""}},
		{"quoted", "It has “a”, as written \"a\".", Values{"value": []byte(`"a"`)}},
		{
			"quoted", "It has “" + strings.Repeat("x", 80) + "…”, as written \"" + strings.Repeat("x", 79) + "….",
			Values{"value": []byte(`"` + strings.Repeat("x", 99) + `"`)},
		},
	} {
		if got := c.Sentence(one.name, one.with); got != one.want {
			t.Errorf("%q\nwant %q", got, one.want)
		}
	}
	for _, name := range []string{"quoted", "unknown"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: a sentence that does not fit was reported", name)
				}
			}()
			c.Sentence(name, nil)
		}()
	}
	for _, broken := range []string{"{a", "a}", "[a", "a]"} {
		if CheckSays(broken) == nil {
			t.Errorf("%q", broken)
		}
	}
}
