package pace

import (
	"sync/atomic"
	"testing"
	"time"
)

// Work gets on while other goroutines compute without end.
func TestWork(t *testing.T) {
	var over atomic.Bool
	defer over.Store(true)
	for range 8 {
		go func() {
			for n := 0; !over.Load(); n++ { // it computes
			}
		}()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var w Work
		for range 16 << 20 / turn {
			w.Did(turn)
		}
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("16 MiB were not looked at within a minute")
	}
}

// BenchmarkWork is what a turn costs where nobody waits.
func BenchmarkWork(b *testing.B) {
	var w Work
	for b.Loop() {
		w.Did(turn)
	}
}
