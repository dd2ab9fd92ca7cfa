package ui

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const (
	smallest = 144 << 20 // bytes; below this garbage is left to the usual pace
	spare    = 16 << 20
)

// memoryLimit is what a process of so much live memory should stay below:
// garbage of loading a large recording is collected before it doubles what is
// needed, and yet there is room enough that collecting comes to rest.
func memoryLimit(live uint64) int64 {
	return max(smallest, int64(live+live/8+spare))
}

// paceMemory keeps the memory limit of the process near what is needed. A limit
// that the user has set holds instead. It returns what ends it.
func paceMemory() (stop func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	p := &pacer{}
	p.adjust(0)
	p.arm()
	return func() {
		p.over.Store(true)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// pacer sets the limit anew after every collection.
type pacer struct{ over atomic.Bool }

// arm leaves an object behind that the next collection finds unused.
func (p *pacer) arm() {
	runtime.AddCleanup(&struct{ p *pacer }{p}, func(p *pacer) {
		if p.over.Load() {
			return
		}
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		p.adjust(live[0].Value.Uint64())
		p.arm()
	}, p)
}

func (p *pacer) adjust(live uint64) { debug.SetMemoryLimit(memoryLimit(live)) }
