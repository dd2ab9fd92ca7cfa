// Package pace keeps what a process takes of memory and processor near what it needs.
package pace

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

const spare = 16 << 20 // bytes

// Memory keeps the memory limit of the process near what is needed: garbage of
// reading large things is collected before it doubles that, and yet there is
// room enough that collecting comes to rest. The limit is never below least,
// in bytes, and the room is one part of so many of what is live. A limit that
// is set already, by the user or by another call, holds instead. It returns
// what ends it.
func Memory(least, parts uint64) (stop func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	p := &pacer{least: least, parts: parts}
	p.adjust(0)
	p.arm()
	return func() {
		p.over.Store(true)
		debug.SetMemoryLimit(math.MaxInt64)
	}
}

// pacer sets the limit again after every collection.
type pacer struct {
	least, parts uint64
	over         atomic.Bool
}

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

func (p *pacer) adjust(live uint64) {
	debug.SetMemoryLimit(int64(max(p.least, live+live/p.parts+spare)))
}
