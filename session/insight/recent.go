package insight

import "time"

const (
	// Buckets is into how many parts Recent divides what it counts.
	Buckets = 12
	// Bucket is how long each of them is, in nanoseconds.
	Bucket = int64(5 * time.Second)
)

// Recent counts what happened within the last minute that anything did.
type Recent struct {
	at int64 // number of the latest bucket, counted from 1
	n  [Buckets]uint32
}

func (r *Recent) add(t int64) {
	at := max(t, 0)/Bucket + 1
	if at > r.at {
		r.n, r.at = r.ending(at), at
	}
	if i := at - r.at + Buckets - 1; i >= 0 {
		r.n[i]++
	}
}

// ending is the counts with the bucket of that number at the end.
func (r *Recent) ending(at int64) (out [Buckets]uint32) {
	if r.at == 0 {
		return out
	}
	for i := range out {
		if j := int64(i) + at - r.at; j >= 0 && j < Buckets {
			out[i] = r.n[j]
		}
	}
	return out
}

func (r *Recent) join(o *Recent) {
	at := max(r.at, o.at)
	sum, more := r.ending(at), o.ending(at)
	for i := range sum {
		sum[i] += more[i]
	}
	r.at, r.n = at, sum
}

// Until is what was counted in the minute that ends with the bucket of t, in
// nanoseconds since the recording started: the oldest first.
func (r *Recent) Until(t int64) [Buckets]uint32 { return r.ending(max(t, 0)/Bucket + 1) }
