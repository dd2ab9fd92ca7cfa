package insight

import (
	"slices"
)

// took notes how long a response took.
func (it *item) took(ns int64) {
	it.Pending--
	it.Took += max(ns, 0)
	it.more = append(it.more, uint32(max(0, min(ns/1000, 1<<32-1))))
}

// sorted returns all that took returned, in order.
func (it *item) sorted() []uint32 {
	if len(it.more) > 0 {
		slices.Sort(it.more)
		it.times = merge(it.times, it.more)
		it.more = it.more[:0]
	}
	return it.times
}

func merge(a, b []uint32) []uint32 {
	if len(a) == 0 || len(b) == 0 || a[len(a)-1] <= b[0] {
		return append(a, b...)
	}
	out := make([]uint32, 0, (len(a)+len(b))*5/4)
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// rank is the value below or at which p percent of the sorted values are, in
// nanoseconds.
func rank(sorted []uint32, p int) int64 {
	if len(sorted) == 0 {
		return 0
	}
	i := (len(sorted)*p + 99) / 100
	return int64(sorted[max(i-1, 0)]) * 1000
}

// Items returns the items listed or used within a scope.
func (b *Book) Items(kind Kind, scope int) List {
	x := &b.items
	out := List{LeftOut: x.leftOut}
	for k, l := range x.lists {
		if k.kind == kind && inScope(scope, k.session) {
			out.join(&l.Listing)
		}
	}
	at := map[string]int{}
	times := [][]uint32{}
	for _, it := range x.order {
		if it.key.kind != kind || !inScope(scope, it.key.session) {
			continue
		}
		one := it.Item
		one.Last = slices.Clone(it.Last)
		if l := x.lists[listKey{it.key.session, kind}]; l != nil && l.full && it.Listed != 0 &&
			it.gen < l.gen && !it.Template {
			one.Gone = true
		}
		i, known := at[one.Name]
		if !known {
			i = len(out.Items)
			at[one.Name] = i
			out.Items, times = append(out.Items, one), append(times, it.sorted())
			continue
		}
		out.Items[i].add(&one)
		times[i] = merge(slices.Clip(times[i]), it.sorted())
	}
	out.finish(times)
	return out
}

func (l *List) join(o *Listing) {
	if o.Request != 0 && (l.Request == 0 || o.Request < l.Request) {
		l.Request = o.Request
	}
	l.Response = max(l.Response, o.Response)
	if o.Refused > l.Refused {
		l.Refused, l.Code = o.Refused, o.Code
	}
}

// add adds what another session says of the same item.
func (it *Item) add(o *Item) {
	if o.Listed > it.Listed {
		it.Definition, it.Size, it.Listed, it.Gone, it.Template = o.Definition, o.Size, o.Listed, o.Gone, o.Template
		it.Cost = o.Cost
	}
	it.Calls, it.Rounds, it.Errors, it.Failed = it.Calls+o.Calls, it.Rounds+o.Rounds, it.Errors+o.Errors,
		it.Failed+o.Failed
	it.Lost, it.Cancelled, it.Pending = it.Lost+o.Lost, it.Cancelled+o.Cancelled, it.Pending+o.Pending
	if it.First == 0 || o.First != 0 && o.First < it.First {
		it.First = o.First
	}
	it.Took, it.Bytes, it.Tokens = it.Took+o.Took, it.Bytes+o.Bytes, it.Tokens+o.Tokens
	it.Last = lastOf(it.Last, o.Last...)
	it.Sessions = append(slices.Clip(it.Sessions), o.Sessions...)
}

func (l *List) finish(times [][]uint32) {
	for i := range l.Items {
		it := &l.Items[i]
		t := times[i]
		it.P50, it.P95 = rank(t, 50), rank(t, 95)
		if len(t) > 0 {
			it.Max = int64(t[len(t)-1]) * 1000
		}
		l.Calls += it.Calls
		l.Took += it.Took
		l.ResultBytes += it.Bytes
		l.Bytes += it.Size
		l.Tokens += it.Cost.All()
		l.ResultTokens += it.Tokens
		if it.Unused() {
			l.Never++
		}
	}
}
