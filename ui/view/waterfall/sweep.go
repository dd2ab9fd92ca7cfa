package waterfall

import (
	"container/heap"
	"slices"

	"midwire/session"
	"midwire/ui/library"
)

type bounds struct {
	rows   int
	lo, hi int64 // first arrival and last end, nanoseconds since the recording started
	most   int   // calls in flight at once
	idle   int64 // nanoseconds without a call in flight between the first call and the latest
	first  int64 // arrival of the first call, -1 for none
	until  int64 // when the last call ended that did
	open   int   // calls in flight
	goesOn bool  // something is not finished
}

// sweep reads rows in the order of their arrival and computes their bounds. It
// goes on with the rows that came since, and with those that ended since.
type sweep struct {
	bounds
	next  int      // position in the rows
	ends  instants // of the calls that were in flight at the latest arrival, as far as they are known
	waits []uint32 // calls without an end
	rest  []uint32 // others without an end
	seen  int64    // when anything happened last
	quiet gaps
	past  *profile
}

const maxWaiting = 4096 // unfinished rows that are looked at again

// step reads up to limit more rows and says whether those were all.
func (s *sweep) step(rec *library.Recording, ids []uint32, limit int) bool {
	s.settle(rec)
	end := min(len(ids), s.next+limit)
	for ; s.next < end; s.next++ {
		s.add(rec, ids[s.next])
	}
	s.goesOn = len(s.waits)+len(s.rest) > 0
	s.open = len(s.waits)
	return s.next >= len(ids)
}

// settle looks at what had no end.
func (s *sweep) settle(rec *library.Recording) {
	s.waits = slices.DeleteFunc(s.waits, func(id uint32) bool {
		row := rec.Tracker.Row(int(id))
		if library.Unfinished(row) {
			return false
		}
		s.ended(row)
		s.past.add(row, 0)
		return true
	})
	s.rest = slices.DeleteFunc(s.rest, func(id uint32) bool {
		row := rec.Tracker.Row(int(id))
		s.hi = max(s.hi, row.End)
		return !library.Unfinished(row)
	})
}

func (s *sweep) add(rec *library.Recording, id uint32) {
	row := rec.Tracker.Row(int(id))
	t := max(row.T, 0)
	if s.rows == 0 {
		s.lo, s.first = t, -1
	}
	s.rows++
	s.lo, s.hi = min(s.lo, t), max(s.hi, t, row.End)
	if s.past == nil {
		s.past = &profile{}
	}
	s.past.add(row, 1)
	if row.Kind != session.RowCall || rec.IsStream(row) {
		if library.Unfinished(row) && len(s.rest) < maxWaiting {
			s.rest = append(s.rest, id)
		}
		s.silence(t)
		return
	}
	s.silence(t)
	if s.first < 0 {
		s.first, s.until = t, t
	} else if len(s.ends)+len(s.waits) == 0 {
		s.idle += max(0, t-s.until)
	}
	if !library.Unfinished(row) {
		s.ended(row)
	} else if len(s.waits) < maxWaiting {
		s.waits = append(s.waits, id)
	}
	s.most = max(s.most, len(s.ends)+len(s.waits), 1)
}

// silence ends at a moment, if nothing was in flight.
func (s *sweep) silence(t int64) {
	for len(s.ends) > 0 && s.ends[0] <= t {
		heap.Pop(&s.ends)
	}
	if len(s.ends)+len(s.waits) == 0 && s.rows > 1 {
		s.quiet.add(max(s.seen, s.until), t)
	}
	s.seen = max(s.seen, t)
}

// ended takes in a call that is over. One without an end was given up: nothing
// is known but when it began.
func (s *sweep) ended(row *session.Row) {
	if end := row.End; end > 0 {
		heap.Push(&s.ends, end)
		s.until, s.hi = max(s.until, end), max(s.hi, end)
	}
}

// idleShare is the part of the time without a call in flight, 0 to 1; ok is
// false when there was no call.
func (b *bounds) idleShare(hi int64) (share float64, ok bool) {
	if b.rows == 0 || b.first < 0 || hi <= b.lo {
		return 0, false
	}
	idle := float64(b.idle) + float64(b.first-b.lo)
	if b.open == 0 {
		idle += max(0, float64(hi)-float64(b.until))
	}
	return min(1, idle/(float64(hi)-float64(b.lo))), true
}

// instants is a heap of moments, the earliest first.
type instants []int64

func (h instants) Len() int           { return len(h) }
func (h instants) Less(i, j int) bool { return h[i] < h[j] }
func (h instants) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *instants) Push(x any)        { *h = append(*h, x.(int64)) }
func (h *instants) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
