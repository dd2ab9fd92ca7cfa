package ui

import (
	"math"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"midwire/session/diagnose"
	"midwire/session/wire"
	"midwire/ui/internal/scenes"
	"midwire/ui/query"
	"midwire/ui/view"
)

// hundredThousand is a model with a list of 100 000 rows.
func hundredThousand(b testing.TB, w, h int) *Model {
	s := newFakeSource()
	fs := scenes.Pings(100_000)
	s.recs["p"] = fs
	m := New(s, Options{Now: fixedNow})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{live("p")}}})
	feedAll(m, "p", fs)
	for m.scanning {
		m.Update(scanMsg{})
	}
	if n := len(m.list.Visible); n != 100_000 {
		b.Fatalf("%d rows", n)
	}
	return m
}

func feedAll(m *Model, id string, fs []wire.Frame) {
	for len(fs) > 0 {
		n := min(20_000, len(fs))
		m.Update(batchMsg{Batch: Batch{Frames: tagged(id, fs[:n])}})
		for len(m.queue) > 0 {
			m.Update(goOnMsg{})
		}
		fs = fs[n:]
	}
}

func BenchmarkView(b *testing.B) {
	m := hundredThousand(b, 200, 50)
	for b.Loop() {
		m.dirty = true
		m.View()
	}
}

func BenchmarkMoveAndView(b *testing.B) {
	m := hundredThousand(b, 200, 50)
	i := 0
	for b.Loop() {
		if i++; i%2 == 0 {
			m.Update(keyPress("k"))
		} else {
			m.Update(keyPress("j"))
		}
		m.View()
	}
}

// BenchmarkBatch is what one Update costs of the many that take in a batch of
// 20 000 frames.
func BenchmarkBatch(b *testing.B) {
	fs := scenes.Pings(10_000)
	for b.Loop() {
		m := New(newFakeSource(), Options{Now: fixedNow})
		m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
		m.Update(batchMsg{Batch: Batch{Recordings: []Recording{live("p")}}})
		feedAll(m, "p", fs)
		m.View()
	}
}

func BenchmarkFilter(b *testing.B) {
	m := hundredThousand(b, 120, 36)
	q, _ := query.Read("is:error -32600")
	for b.Loop() {
		m.list.Reset(m.list.Scope, q)
		m.list.Scan(1 << 30)
	}
}

// TestNothingTakesLong bounds what a screen and a batch may cost, far above
// what they do, so that a slow machine does not fail.
func TestNothingTakesLong(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, and a list of 100,000 rows")
	}
	m := hundredThousand(t, 200, 60)
	if d := quickest(20, func() {
		m.Update(keyPress("k"))
		m.View()
	}); d > 60*time.Millisecond {
		t.Errorf("a key press takes %v", d)
	}
	orderMany(t, m)
}

// quickest is how long do takes when the machine does nothing else: what else runs may
// slow some of its runs down, not all.
func quickest(times int, do func()) time.Duration {
	best := time.Duration(math.MaxInt64)
	for range times {
		from := time.Now()
		do()
		best = min(best, time.Since(from))
	}
	return best
}

// million is a model of a million rows, and the frames it was made of.
func million(b testing.TB) *Model {
	s := newFakeSource()
	m := New(s, Options{Now: fixedNow, rules: []*diagnose.Rule{}})
	m.Update(tea.WindowSizeMsg{Width: 120, Height: 36})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{live("p")}}})
	fs := scenes.Pings(100_000)
	n := len(fs)
	for i := range 10 {
		for j := range fs {
			fs[j].N, fs[j].T = uint64(i*n+j+1), fs[j].T+int64(i)*1e12
		}
		feedAll(m, "p", fs)
	}
	for m.scanning {
		m.Update(scanMsg{})
	}
	if n := len(m.list.Visible); n != 1_000_000 {
		b.Fatalf("%d rows", n)
	}
	return m
}

// benchmarkView opens a view of a million rows, and then looks and moves.
func benchmarkView(b *testing.B, key string) {
	m := million(b)
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			m.view = nil
			for _, cmd := m.Update(keyPress(key)); cmd != nil; m.View() {
				_, cmd = m.Update(view.Later(m.view.(view.Sleeper), 0)())
			}
		}
	})
	b.Run("move", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			m.Update(keyPress([]string{"k", "j", "ctrl+u", "ctrl+d"}[i%4]))
			m.View()
		}
	})
}

func BenchmarkWaterfall(b *testing.B) {
	benchmarkView(b, "w")
}

func BenchmarkSequence(b *testing.B) {
	benchmarkView(b, "s")
}

// BenchmarkSeveral draws a screen of many rows of several sessions.
func BenchmarkSeveral(b *testing.B) {
	fs := workbench(6, 30_000)
	s := newFakeSource()
	s.recs["w"] = fs
	m := New(s, Options{Now: fixedNow, rules: testRules()})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 50})
	m.Update(batchMsg{Batch: Batch{Recordings: []Recording{{ID: "w", Label: "w", Tap: "http", Live: true, Started: started()}}}})
	feedAll(m, "w", fs)
	for m.scanning {
		m.Update(scanMsg{})
	}
	for _, keys := range []string{"k", "z"} {
		m.Update(keyPress(keys))
		b.Run(keys, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				m.Update(keyPress([]string{"k", "j", "ctrl+u", "ctrl+d"}[i%4]))
				m.View()
			}
			b.ReportMetric(float64(len(m.list.Visible)), "rows")
		})
	}
}
