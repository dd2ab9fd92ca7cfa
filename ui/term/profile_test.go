package term

import "testing"

// TestProfileWidens: nothing is lost when slots get wider, and two profiles of the same
// time stay beside each other.
func TestProfileWidens(t *testing.T) {
	a, b := NewProfile(8), NewProfile(8)
	for i := range int64(100) {
		a.Add(i*3, 1, i == 70)
	}
	b.Add(-5, 1, false)
	x, y := a.Until(297), b.Until(297)
	n, failed := 0, 0
	for _, s := range x {
		n += s.N
		if s.Failed {
			failed++
		}
	}
	if n != 100 || failed != 1 || len(x) != len(y) || len(x) != 5 || y[0].N != 1 {
		t.Errorf("%d things, %d failed, %v and %v", n, failed, x, y)
	}
}
