package insight

import "slices"

// MaxLast is the number of latest calls kept per item.
const MaxLast = 5

// lastOf is the latest of some calls, in order. It returns other memory.
func lastOf(calls []uint64, more ...uint64) []uint64 {
	out := slices.Concat(calls, more)
	slices.Sort(out)
	return out[max(0, len(out)-MaxLast):]
}

// asked notes one more call.
func (it *item) asked(c *call) {
	if len(it.Last) == MaxLast {
		copy(it.Last, it.Last[1:])
		it.Last = it.Last[:MaxLast-1]
	}
	it.Last = append(it.Last, c.n)
}
