package library

import (
	"cmp"
	"slices"
	"time"
)

const maxSides = 16 // recordings of one flow that are compared, those nearest in time

// Together returns the recordings of a flow that were written while one of
// those was that somebody looks at.
func Together(all []*Recording, inFlow func(*Recording) bool) []*Recording {
	var looked, group []*Recording
	for _, r := range all {
		if inFlow(r) && r.Opened && !r.OpenedBeside {
			looked = append(looked, r)
		}
	}
	if len(looked) == 0 {
		return nil
	}
	far := func(r *Recording) time.Duration { return r.Started.Sub(looked[0].Started).Abs() }
	for _, r := range all {
		if inFlow(r) && !r.Broken() && slices.ContainsFunc(looked, r.Overlaps) {
			group = append(group, r)
		}
	}
	slices.SortStableFunc(group, func(a, b *Recording) int { return cmp.Compare(far(a), far(b)) })
	return group[:min(len(group), maxSides)]
}

// Overlaps says whether two recordings were written at the same time.
func (r *Recording) Overlaps(o *Recording) bool {
	begins := func(a, b *Recording) bool { return b.Live || !a.Started.After(b.Changed) }
	return begins(r, o) && begins(o, r)
}

// Live returns those that a tap is writing.
func Live(all []*Recording) (live []*Recording) {
	for _, r := range all {
		if r.Live {
			live = append(live, r)
		}
	}
	return live
}

// IDs are the ids of recordings.
func IDs(of []*Recording) []string {
	ids := make([]string, len(of))
	for i, r := range of {
		ids[i] = r.ID
	}
	return ids
}
