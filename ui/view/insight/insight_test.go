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

// Stops of a path keep their order and their distance.
func TestPlace(t *testing.T) {
	stops := make([]pathStop, 4)
	for i, at := range []int64{0, 1, 2, 1000} {
		stops[i].handleStep = &handleStep{Use: insight.Use{T: at}}
	}
	place(stops, 10, 60)
	for i := 1; i < len(stops); i++ {
		if stops[i].x < stops[i-1].x+pathGap {
			t.Errorf("stop %d at %d, the one before at %d", i, stops[i].x, stops[i-1].x)
		}
	}
	if stops[0].x != 10 || stops[3].x != 60 {
		t.Errorf("from %d to %d", stops[0].x, stops[3].x)
	}
}
