package waterfall

import (
	"math/rand/v2"
	"testing"
)

// TestScale puts random calls on columns: later is never further left, nothing of
// the window is off the screen, and idle time that is longer than six cells'
// worth is folded.
func TestScale(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var quiet gaps
		var moments []int64
		at := int64(0)
		for range 1 + r.IntN(30) {
			next := at + r.Int64N(1+int64(1)<<(10+r.IntN(24)))
			quiet.add(at, next)
			at = next + r.Int64N(30_000_000)
			moments = append(moments, next, at)
		}
		columns := 10 + r.IntN(150)
		w := extent{0, max(float64(at), shortestTime)}
		if r.IntN(2) == 0 {
			w = extent{w.to * r.Float64() * 0.4, w.to * (0.6 + 0.4*r.Float64())}
		}
		s := newScale(w, columns, quiet)
		last := -1e18
		for _, m := range moments {
			x := s.at(m)
			if x < last-1e-6 {
				t.Fatalf("seed %d: %d stands at %g, left of %g", seed, m, x, last)
			}
			last = x
			if in := float64(m) >= w.from && float64(m) <= w.to; in && (x < -1e-6 || x > float64(columns)+1e-6) {
				t.Fatalf("seed %d: %d of %v stands at %g of %d", seed, m, w, x, columns)
			}
		}
		folds := len(s.parts) - 1
		for i := range folds {
			if n := s.parts[i+1].from - s.parts[i].to; n < (foldedFrom-2)*s.unit*0.999 {
				t.Errorf("seed %d: %g ns are folded, a cell is %g", seed, n, s.unit)
			}
			if x := s.fold(i); x < 0 || x >= columns {
				t.Errorf("seed %d: a line at %d of %d", seed, x, columns)
			}
		}
	}
	// The example of a handshake, then single calls: the handshake has the room.
	quiet := gaps{}
	quiet.add(134e6, 530e6)
	quiet.add(531e6, 1500e6)
	if s := newScale(extent{0, 1501e6}, 70, quiet); s.at(134e6) < 55 {
		t.Errorf("the handshake has %g of 70 columns", s.at(134e6))
	}
}

// The window opens around the part that is looked at, not longer than needed, never outside of
// all of the time; all of it stays where that is hardly more.
func TestOpen(t *testing.T) {
	all := extent{0, 100e9}
	for _, c := range []struct {
		part extent
		ends bool
		want axis
	}{
		{extent{20e9, 30e9}, false, axis{extent: extent{19.8e9, 30.2e9}}},
		{extent{0, 10e9}, false, axis{extent: extent{0, 10.4e9}}},
		{extent{90e9, 100e9}, true, axis{ends: true, extent: extent{89.6e9, 100e9}}},
		{extent{10e9, 80e9}, false, axis{fit: true}},
		{extent{50e9, 50e9}, false, axis{extent: extent{50e9, 50e9 + shortestTime}}},
	} {
		a := axis{fit: true}
		if a.open(c.part, all, c.ends); a != c.want {
			t.Errorf("%v: %v, want %v", c.part, a, c.want)
		}
	}
}
