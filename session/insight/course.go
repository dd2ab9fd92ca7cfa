package insight

import (
	"cmp"
	"slices"
)

// Slots is into how many parts Course divides what it counts.
const Slots = 64

// Course counts what happened over all of the time, in slots that are as fine as
// the time allows.
type Course struct {
	width  int64 // nanoseconds of a slot, 0 while there is nothing
	n, bad [Slots]uint32
}

const finest = int64(1e6) // nanoseconds

// add counts something at a time of the recording, bad something that failed
// then: it was counted when it began.
func (c *Course) add(t int64, bad bool) {
	t = max(t, 0)
	c.width = cmp.Or(c.width, finest)
	for t/c.width >= Slots {
		c.coarsen()
	}
	if bad {
		c.bad[t/c.width]++
	} else {
		c.n[t/c.width]++
	}
}

func (c *Course) coarsen() {
	for _, of := range []*[Slots]uint32{&c.n, &c.bad} {
		for i := range Slots / 2 {
			of[i] = of[2*i] + of[2*i+1]
		}
		clear(of[Slots/2:])
	}
	c.width *= 2
}

func (c *Course) join(o *Course) {
	if o.width == 0 {
		return
	}
	more := *o
	c.width = cmp.Or(c.width, more.width)
	for c.width < more.width {
		c.coarsen()
	}
	for more.width < c.width {
		more.coarsen()
	}
	for i := range Slots {
		c.n[i] += more.n[i]
		c.bad[i] += more.bad[i]
	}
}

// Between returns what was counted between two times, in nanoseconds, as n
// parts: how much, and how much of it failed. A slot counts where its middle lies.
func (c *Course) Between(from, to int64, n int) (all, bad []int) {
	all, bad = make([]int, n), make([]int, n)
	span := max(to-from, 1)
	for i := range Slots {
		if c.n[i] == 0 && c.bad[i] == 0 {
			continue
		}
		mid := int64(i)*c.width + c.width/2
		at := max(0, min(int((mid-from)*int64(n)/span), n-1))
		all[at] += int(c.n[i])
		bad[at] += int(c.bad[i])
	}
	return all, bad
}

// LastCall is one of the latest calls of an item.
type LastCall struct {
	N       uint64 // frame of the request
	T       int64
	Session int
}

// MaxLast is the number of latest calls kept per item.
const MaxLast = 5

// lastOf is the latest of some calls, in order. It returns other memory.
func lastOf(calls []LastCall, more ...LastCall) []LastCall {
	out := slices.Concat(calls, more)
	slices.SortStableFunc(out, func(a, b LastCall) int { return cmp.Compare(a.N, b.N) })
	return out[max(0, len(out)-MaxLast):]
}

// asked notes one more call.
func (it *item) asked(c *call) {
	if len(it.Last) == MaxLast {
		copy(it.Last, it.Last[1:])
		it.Last = it.Last[:MaxLast-1]
	}
	it.Last = append(it.Last, LastCall{c.n, c.t, c.session})
}

// steps are the upper limits of the parts of a Spread, in nanoseconds; what took
// longer than the last is in its own part.
var steps = [...]int64{1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10}

// Spread is a histogram of response times: up to each Step, and longer.
type Spread [len(steps) + 1]int

// Step is the upper limit of a part of a Spread, in nanoseconds; 0 for the last,
// which has none.
func (Spread) Step(i int) int64 {
	if i >= len(steps) {
		return 0
	}
	return steps[i]
}

// spreadOf counts sorted microseconds.
func spreadOf(sorted []uint32) (out Spread) {
	from := 0
	for i, limit := range steps {
		to, _ := slices.BinarySearch(sorted, uint32(limit/1000)+1)
		out[i] = to - from
		from = to
	}
	out[len(steps)] = len(sorted) - from
	return out
}
