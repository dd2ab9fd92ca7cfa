package insight

import (
	"cmp"
	"slices"

	"midwire/session/insight"
	"midwire/ui/library"
	"midwire/ui/view"
)

// arrange orders the handles, what was refused first. The selection stays with the one that was chosen.
func (v *handlesView) arrange(chosen handleKey) {
	v.rows = v.rows[:0]
	for i := range v.all {
		v.rows = append(v.rows, &v.all[i])
	}
	slices.SortStableFunc(v.rows, func(a, b *insight.Handle) int {
		return cmp.Compare(handleRank(a), handleRank(b))
	})
	v.Lines.Lines = len(v.rows)
	v.of = handleKey{}
	view.Select(&v.Lines, v.rows, func(h **insight.Handle) bool { return keyOf(*h) == chosen })
}

// handleRank orders handles by how much there is to see.
func handleRank(h *insight.Handle) int {
	_, _, broken := h.Break()
	switch {
	case broken:
		return 0
	case h.Bad() > 0:
		return 1
	case h.LeftOut > 0:
		return 2
	case h.Crossed > 0:
		return 3
	case h.Times == 0:
		return 5
	}
	return 4
}

// arrive selects the first handle of the message that is selected in the list:
// its first use that was refused, or where it was issued, when it is that
// message which refused it.
func (v *handlesView) arrive(h view.Host) {
	if v.want != (handleKey{}) {
		view.Select(&v.Lines, v.rows, func(h **insight.Handle) bool { return keyOf(*h) == v.want })
		v.choose(h)
		return
	}
	rec := h.Scope().Rec
	here := framesOf(h)
	held := insight.ByFrame(v.all)
	first := len(v.rows)
	for _, n := range here {
		for _, x := range held[n] {
			first = min(first, slices.Index(v.rows, &v.all[x.Handle]))
		}
	}
	if rec != nil && first < len(v.rows) {
		v.Lines.Sel = first
		v.Lines.Move(0)
	}
	v.choose(h)
	if s := v.step(); s != nil && slices.Contains(here, s.N) {
		v.Below.Sel = 0
	}
}

func framesOf(h view.Host) []uint64 {
	rows, rec := h.Rows(), h.Scope().Rec
	id, ok := rows.Selected()
	if !ok || rec == nil {
		return nil
	}
	return messageFrames(rec, int(id))
}

func messageFrames(rec *library.Recording, row int) []uint64 {
	if row < 0 || row >= rec.Tracker.Rows() {
		return nil
	}
	r := rec.Tracker.Row(row)
	out := []uint64{uint64(r.Request), uint64(r.Response)}
	for _, n := range []uint64{uint64(r.Request), uint64(r.Response)} {
		if f := rec.Frame(n); f != nil && f.X != 0 {
			heads := rec.Heads[f.X]
			out = append(out, heads.Req, heads.Resp)
		}
	}
	return slices.DeleteFunc(out, func(n uint64) bool { return n == 0 })
}
