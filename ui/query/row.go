package query

import (
	"context"

	"midwire/session/wire"
	"midwire/ui/library"
)

// Holds says whether a row passes, and reads its payloads where they decide. A
// nil query lets everything pass.
func (q *Query) Holds(
	ctx context.Context, rec *library.Recording, row int, load func(n uint64) *wire.Frame,
) (bool, error) {
	found := &Found{}
	if q == nil {
		return true, nil
	}
	found.Bits = make([][]uint64, len(q.Payloads))
	s := RowSubject(rec, row, found)
	if !q.Undecided(s) {
		return q.Match(s), nil
	}
	mark := func(k int, has bool) {
		if has {
			found.Set(k, s.id)
		}
	}
	batch := [2]uint16{s.Row.Batch, s.Row.RBatch}
	for i, n := range [2]uint32{s.Row.Request, s.Row.Response} {
		f := (*wire.Frame)(nil)
		if n != 0 {
			f = load(uint64(n))
		}
		if f == nil {
			continue
		}
		m := Payload{Frame: f, Open: rec.Tracker.Decoder(n), Batch: int(batch[i])}
		for k := range q.Payloads {
			has, err := q.Payloads[k].Match(ctx, &m)
			if err != nil {
				return false, err
			}
			mark(k, has)
		}
	}
	if h, ok := rec.Heads[s.Row.X]; ok && q.ReadsHeads {
		for _, n := range [2]uint64{h.Req, h.Resp} {
			f := load(n)
			for k := range q.Payloads {
				mark(k, f != nil && q.Payloads[k].LooksInHeads() && q.Payloads[k].MatchHead(f.Data))
			}
		}
	}
	return q.Match(s), nil
}
