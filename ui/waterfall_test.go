package ui

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/library"
	"midwire/ui/term"
)

func TestWaterfallStory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w")
		d.want("files-server ▸ waterfall", "0s … 12s", "all of it", "▌  25", "at most 2 at once", "idle 32%")
		d.press("g", "j", "j", "j", "j", "j", "j")
		d.want("▌  10", "#10 · 3.870s (10:15:03.870) · end 4.272s · took 402ms", "‖ paused")
		d.press("+", "+", "+")
		d.want("×8", "‹", "›")
		d.wantNot("all of it")
		d.press("h", "h", "h", "h", "h", "h", "h", "h", "h", "h", "h", "h")
		d.want("0s … 1.5s", "▌   1", "#1 · 0.000s") // pan takes the selection along
		d.press("]")
		d.want("▌✗  5", "0s … 1.5s")
		d.press("]", "]")
		d.want("▌  21", "#21 · 9.700s") // and the selection takes the time along
		d.wantNot("0s … 1.5s")
		d.press("0")
		d.want("0s … 12s   all of it")
		d.press("enter")
		d.want("files-server ▸ messages", "▌   21", "esc waterfall")
		d.press("esc")
		d.want("files-server ▸ waterfall", "▌  21")
		d.press("esc")
		d.want("files-server ▸ messages", "▌   21")
	})
}

func TestWaterfallOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSource()
		fs := scenes.Stdio()
		s.recs["p"] = fs
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", fs[:10])}
		d := drive(t, s, Options{}, 120, 36)
		first := regexp.MustCompile(`(?m)^[▌ ].? *(\d+) .*│`)
		numbers := func() (out []string) {
			for _, l := range first.FindAllStringSubmatch(d.screen(), -1) {
				out = append(out, l[1])
			}
			return out
		}
		d.press("w", "o")
		d.want("by latency · 7")
		before := numbers()
		if got := strings.Join(before, " "); got != "10 3 8 5 1 2 6" {
			t.Errorf("by latency: %s", got)
		}
		d.news(s, "p", fs[10:16])
		d.want("+5 since")
		if got := numbers(); !slices.Equal(got[:7], before) {
			t.Errorf("what came since changed the order: %s", got)
		}
		d.press("o")
		d.want("by method · 12")
		if got := strings.Join(numbers(), " "); got != "3 6 14 13 16 1 2 15 10 12 5 8" {
			t.Errorf("by method: %s", got)
		}
		d.press("o")
		d.want("by start")
	})
}

func TestWaterfallFilterInPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w", "/")
		d.typed("tool:search")
		d.want("by start · 1 of 17", "1 of 17 match", "3.87s … 4.27s", "▌  10", "█")
		d.press("enter")
		d.want("files-server ▸ waterfall")
		d.press("v") // raw frames have no bars
		d.want("by start · 1 of 17")
		d.press("esc", "esc")
		d.want("exchanges · 17")
	})
}

func TestWaterfallOfRawFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("v", "w")
		d.want("waterfall", "by start · 17", "▌  25")
		d.press("esc", "v", "s")
		d.want("sequence", "ping")
	})
}

func TestWaterfallGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := fixedNow()
		s := newFakeSource()
		var tape scenes.Tape
		tape.Line(wire.ToServer, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"slow"}}`)
		tape.At(14_000).Line(wire.ToClient, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		tape.At(60_000).Line(wire.ToServer, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		s.recs["p"] = tape.Frames
		s.ch <- Batch{Recordings: []Recording{live("p")}, Frames: tagged("p", tape.Frames[:1])}
		d := drive(t, s, Options{Now: func() time.Time { return now }}, 100, 30)
		d.press("w")
		d.want("0s … 12s", "+12.0s", "▓▓▓", "waits for 12.0s", "at most 1 at once · idle 0%")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("0s … 13s", "+13.0s")
		d.press("p")
		now = now.Add(time.Second)
		d.pass(300 * time.Millisecond)
		d.want("frozen", "+13.0s")
		d.press("p")
		d.news(s, "p", tape.Frames[1:2])
		d.want("0s … 14s", "took 14s", "█")
		d.wantNot("▓▓▓")
		d.pass(time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(d.ch) > 0 {
			t.Error("the waterfall of finished calls draws")
		}
		d.press("+", ".")
		d.want("the end", "7.0s … 14.0s")
		d.news(s, "p", tape.Frames[2:])
		d.want("▌   3", "the end")
		d.wantNot("7.0s …")
	})
}

func TestWaterfallMouse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 24)
		d.press("w")
		click := tea.MouseClickMsg{X: 60, Y: 5, Button: tea.MouseLeft}
		d.send(click)
		d.want("▌   3")
		d.send(tea.MouseWheelMsg{X: 60, Y: 9, Button: tea.MouseWheelUp})
		d.send(click, click)
		d.want("files-server ▸ messages", "esc waterfall")
		d.press("esc")
		d.send(tea.MouseClickMsg{X: 60, Y: 2, Button: tea.MouseLeft}, tea.MouseClickMsg{X: 60, Y: 22, Button: tea.MouseLeft})
		d.want("files-server ▸ waterfall", "▌   3")
	})
}

func TestWaterfallCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := drive(t, lively(), Options{}, 120, 36)
		d.press("w", "g")
		got := d.copied("y")
		for _, want := range []string{"| # | start |", "| 10 | 3.870 | 402ms | → tools/call search_files q=\"auth\"", "| 23 |"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q is not in\n%s", want, got)
			}
		}
	})
}

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

// randomCalls is a session of calls at random times with random answers.
func randomCalls(r *rand.Rand, n int) []wire.Frame {
	var t scenes.Tape
	var open []int
	at := int64(0)
	for id := 0; id < n; {
		at += r.Int64N(40)
		t.At(at)
		if len(open) > 0 && r.IntN(2) == 0 {
			i := r.IntN(len(open))
			t.Line(wire.ToClient, `{"jsonrpc":"2.0","id":%d,"result":{}}`, open[i])
			open = slices.Delete(open, i, i+1)
			continue
		}
		t.Line(wire.ToServer, `{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`, id)
		open = append(open, id)
		id++
	}
	return t.Frames
}

// TestSweep compares the bounds with those that are computed plainly, whether
// the frames come one by one or all at once.
func TestSweep(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		fs := randomCalls(r, 5+r.IntN(40))
		var one, all sweep
		rec := library.New(live("p"), nil, nil)
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
			if w.from < all.from-1 || w.to > all.to*(1+1e-9)+1 || w.length() < shortestTime/2 || math.IsNaN(w.length()) {
				t.Fatalf("%v of %v", w, all)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	rec := library.New(live("p"), nil, nil)
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
		rec.Started = started()
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
