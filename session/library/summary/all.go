package summary

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"midwire/session/record"
)

// All calls use with the summary of each recording that has ended and can be
// read: at first with those that are kept, then with those that have to be made, which
// it keeps. It makes first those whose ids wanted returns, when it is not nil, the others in the order of
// entries. It returns when it is done or ctx ends. Calls of use do not overlap,
// nor do those of wanted. While it makes summaries it leaves one processor alone.
func All(ctx context.Context, entries []record.Entry, wanted func() []string, use func(id string, s *Recording)) {
	a := all{entries: entries, wanted: wanted, use: use, missing: make([]bool, len(entries))}
	cpus := runtime.GOMAXPROCS(0)
	each(ctx, cpus, len(entries), func(i int) {
		if e := &entries[i]; !e.Live && e.Err == nil {
			s, _ := Read(e.Path)
			a.give(i, s)
		}
	})
	each(ctx, max(1, cpus-1), len(entries), func(int) {
		if i := a.next(); i >= 0 {
			s, err := renew(ctx, entries[i].Path)
			if err == nil {
				a.give(i, s)
			}
		}
	})
}

// all is one run of All.
type all struct {
	entries []record.Entry
	wanted  func() []string
	use     func(id string, s *Recording)

	mu      sync.Mutex // calls of use and wanted, and missing
	missing []bool
}

// give hands a summary on, or notes that there is none.
func (a *all) give(i int, s *Recording) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.missing[i] = s == nil; s != nil {
		a.use(a.entries[i].ID, s)
	}
}

// next is what to make next, -1 for nothing.
func (a *all) next() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := -1
	if a.wanted != nil {
		for _, id := range a.wanted() {
			i := slices.IndexFunc(a.entries, func(e record.Entry) bool { return e.ID == id })
			if i >= 0 && a.missing[i] {
				next = i
				break
			}
		}
	}
	if next < 0 {
		next = slices.Index(a.missing, true)
	}
	if next >= 0 {
		a.missing[next] = false
	}
	return next
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
