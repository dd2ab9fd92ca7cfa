package summary

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"midwire/session/record"
)

// All calls use with the summary of each recording that has ended and can be
// read, in the order of entries as far as may be: at first with those that are
// kept, then with those that have to be made, which it keeps. It returns when
// it is done or ctx ends. Calls of use do not overlap. While it makes summaries
// it leaves one processor alone.
func All(ctx context.Context, entries []record.Entry, use func(id string, s *Recording)) {
	var mu sync.Mutex // calls of use, and missing
	missing := make([]bool, len(entries))
	give := func(i int, s *Recording) {
		mu.Lock()
		defer mu.Unlock()
		if missing[i] = s == nil; s != nil {
			use(entries[i].ID, s)
		}
	}
	cpus := runtime.GOMAXPROCS(0)
	each(ctx, cpus, len(entries), func(i int) {
		if e := &entries[i]; !e.Live && e.Err == nil {
			s, _ := Read(e.Path)
			give(i, s)
		}
	})
	each(ctx, max(1, cpus-1), len(entries), func(i int) {
		if missing[i] {
			if s, err := renew(ctx, entries[i].Path); err == nil {
				give(i, s)
			}
		}
	})
}

// each calls do with the numbers below n, several at a time.
func each(ctx context.Context, workers, n int, do func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, n) {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n) && ctx.Err() == nil; i = next.Add(1) - 1 {
				do(int(i))
			}
		})
	}
	wg.Wait()
}
