package insight

import (
	"testing"

	"midwire/session/insight"
	"midwire/session/safe"
	"midwire/ui/term"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		n, of int64
		want  safe.Text
	}{{0, 10, ""}, {1, 0, ""}, {1, 1000, "<1%"}, {1, 3, "33%"}, {2, 3, "67%"}, {5, 5, "100%"}} {
		if got := share(c.n, c.of); got != c.want {
			t.Errorf("%d of %d: %q, want %q", c.n, c.of, got, c.want)
		}
	}
}

// A secret value is never drawn whole; a long one keeps both ends.
func TestHandleValue(t *testing.T) {
	sg := term.Unicode()
	for _, c := range []struct {
		h    insight.Handle
		n    int
		want safe.Text
	}{
		{insight.Handle{Value: "doc-1"}, 10, "doc-1"},
		{insight.Handle{Value: "doc-f7170c5aa690"}, 13, "doc-f7…a690"},
		{insight.Handle{Value: "0123456789abcdef", Secret: true}, 40, "01… hidden, 16 bytes"},
		{insight.Handle{Value: "short", Secret: true}, 40, "hidden, 5 bytes"},
		{insight.Handle{Value: "redacted:sha256"}, 40, "redacted"},
	} {
		if got := handleValue(&c.h, c.n, &sg); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.h.Value, c.n, got, c.want)
		}
	}
}
