package waterfall

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"midwire/session"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/messages"
	"midwire/ui/term"
)

// TestSpan compares what is kept as rows come with what their times say at the end: while
// a call is pending nothing counts as idle, whether the frames come one by one or at once.
func TestSpan(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		fs := scenes.RandomCalls(r, 5+r.IntN(40))
		var one, all span
		rec := library.New(wire.Recording{ID: "p", Label: "p", Tap: "stdio", Live: true}, nil)
		var l messages.List
		for i := range fs {
			rec.Apply(&fs[i])
			for len(l.Visible) < rec.Tracker.Rows() {
				l.Visible = append(l.Visible, uint32(len(l.Visible)))
			}
			if r.IntN(3) > 0 {
				one.extend(rec, &l)
			}
		}
		one.extend(rec, &l)
		all.extend(rec, &l)
		var last int64
		for i := range rec.Tracker.Rows() {
			row := rec.Tracker.Row(i)
			last = max(last, row.T, row.End)
			for _, g := range all.quiet {
				if float64(row.T) < g.to && float64(row.T) > g.from || row.Kind == session.RowCall && row.End > row.T &&
					float64(row.T) < g.to && float64(row.End) > g.from {
					t.Errorf("seed %d: row %d from %d to %d, and idle from %g to %g", seed, i, row.T, row.End, g.from, g.to)
				}
			}
		}
		if all.hi != last || one.lo != all.lo || one.hi != all.hi || !slices.Equal(one.quiet, all.quiet) {
			t.Errorf("seed %d: one by one %+v, all at once %+v, the last end is %d", seed, one, all, last)
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
