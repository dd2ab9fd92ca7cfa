package insight

import (
	"cmp"
	"slices"
)

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
