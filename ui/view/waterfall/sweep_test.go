package waterfall

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"midwire/session"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

// bruteForce computes the bounds of calls from their times alone.
func bruteForce(rec *library.Recording) (most int, idle int64) {
	type call struct{ from, to int64 }
	var calls []call
	for i := range rec.Tracker.Rows() {
		if row := rec.Tracker.Row(i); row.Kind == session.RowCall && row.End > 0 {
			calls = append(calls, call{row.T, row.End})
		} else if row.Kind == session.RowCall && library.Unfinished(row) {
			calls = append(calls, call{row.T, math.MaxInt64})
		}
	}
	until := int64(-1)
	for i, c := range calls {
		n := 0
		for _, o := range calls[:i+1] {
			if o.to > c.from {
				n++
			}
		}
		most = max(most, n, 1)
		if until >= 0 {
			idle += max(0, c.from-until)
		}
		until = max(until, c.to)
	}
	return most, idle
}

// TestSweep compares the bounds with those that are computed plainly, whether
// the frames come one by one or all at once.
func TestSweep(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		fs := scenes.RandomCalls(r, 5+r.IntN(40))
		var one, all sweep
		rec := library.New(wire.Recording{ID: "p", Label: "p", Tap: "stdio", Live: true}, nil)
		var ids []uint32
		for i := range fs {
			rec.Apply(&fs[i])
			for len(ids) < rec.Tracker.Rows() {
				ids = append(ids, uint32(len(ids)))
			}
			if r.IntN(3) > 0 {
				one.step(rec, ids, 1+r.IntN(3))
			}
		}
		for !one.step(rec, ids, 7) {
		}
		for !all.step(rec, ids, 3) {
		}
		most, idle := bruteForce(rec)
		if all.most != most || all.idle != idle {
			t.Errorf("seed %d: %d at once and %d idle, want %d and %d", seed, all.most, all.idle, most, idle)
		}
		if one.bounds != all.bounds {
			t.Errorf("seed %d: one by one %+v, all at once %+v", seed, one.bounds, all.bounds)
		}
	}
}

func TestAxisStaysInBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, all := range []extent{{0, shortestTime}, {5e9, 6e9}, {0, math.MaxInt64}, {1e6, 3e17}} {
		a := axis{fit: true}
		for range 500 {
			row := &session.Row{T: int64(all.from + r.Float64()*all.length()*0.99)}
			switch r.IntN(6) {
			case 0, 1:
				a.zoom(true, all.from+r.Float64()*all.length(), all)
			case 2:
				a.zoom(false, all.to, all)
			case 3:
				a.pan(r.IntN(2) == 0, all)
			case 4:
				a.reveal(row, all)
				if w := a.window(all); float64(row.T) < w.from-1 || float64(row.T) > w.to+1 {
					t.Fatalf("%d is not within %v of %v", row.T, w, all)
				}
			case 5:
				a.follow(all)
			}
			w := a.window(all)
			if w.from < all.from-1 || w.to > all.to*(1+1e-9)+1 ||
				w.length() < shortestTime/2 || math.IsNaN(w.length()) {
				t.Fatalf("%v of %v", w, all)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	rec := library.New(wire.Recording{ID: "p", Label: "p", Tap: "stdio", Live: true}, nil)
	for _, tt := range []struct {
		from, to float64
		columns  int
		time     term.TimeFormat
		want     string
	}{
		{0, 10e9, 75, 0, "0s 2s 4s 6s 8s"},
		{0, 400, 70, 0, "0s 0.0000001s 0.0000002s 0.0000003s"},
		{1.5e9, 1.6e9, 60, 0, "1.50s 1.52s 1.54s 1.56s 1.58s"},
		{0, 300e9, 70, 0, "0s 1m 2m 3m 4m"},
		{55e9, 130e9, 60, 0, "1m00s 1m15s 1m30s 1m45s 2m00s"},
		{0, 5 * 3600e9, 60, 0, "0s 1h00m 2h00m 3h00m 4h00m"},
		{0, 9 * 86400e9, 60, 0, "0s 2d 4d 6d 8d"},
		{0, math.MaxInt64, 40, 0, "0s 50000d 100000d"},
		{0, 10e9, 60, term.ClockTime, "10:15:00 10:15:02 10:15:04 10:15:06 10:15:08"},
	} {
		rec.Started = time.Date(2026, 3, 1, 10, 15, 0, 0, time.Local)
		sc := library.Scene{Screen: term.Screen{Time: tt.time}, Rec: rec}
		var got []string
		last := -1
		for _, k := range ticks(&sc, extent{tt.from, tt.to}, tt.columns) {
			got = append(got, string(k.label))
			if k.column <= last || k.column >= tt.columns {
				t.Errorf("a tick in column %d after %d of %d", k.column, last, tt.columns)
			}
			last = k.column
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("from %g to %g: %s, want %s", tt.from, tt.to, s, tt.want)
		}
	}
}
