package timeline

import "testing"

// Lanes of several sessions stand only where the list keeps enough lines.
func TestHeight(t *testing.T) {
	for _, c := range []struct {
		sessions, h int
		boxed       bool
		want        int
	}{
		{1, 24, false, 1}, {1, 40, true, 4}, {3, 20, false, 0}, {3, 26, false, 3}, {9, 26, false, 4}, {9, 40, true, MaxLanes + 3},
	} {
		if got := Height(c.sessions, c.h, c.boxed); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
