package hub

import "testing"

// TestG3Priority: the id of the request's context, else the stored one, else none.
func TestG3Priority(t *testing.T) {
	for _, c := range [][3]string{{"context", "stored", "context"}, {"", "stored", "stored"}, {"", "", ""}, {"context", "", "context"}} {
		if got := headerID(c[0], c[1]); got != c[2] {
			t.Errorf("%q %q: %q", c[0], c[1], got)
		}
	}
}
