package library

import (
	"cmp"
	"slices"
	"time"
)

// Together returns those of a flow's recordings that were written while one of
// those was that somebody looks at: the nearest in time first, most at most.
func Together(all []*Recording, ofFlow func(*Recording) bool, most int) []*Recording {
	var looked, group []*Recording
	for _, r := range all {
		if ofFlow(r) && r.Opened && !r.OpenedBeside {
			looked = append(looked, r)
		}
	}
	if len(looked) == 0 {
		return nil
	}
	far := func(r *Recording) time.Duration { return r.Started.Sub(looked[0].Started).Abs() }
	for _, r := range all {
		if ofFlow(r) && !r.Broken() && slices.ContainsFunc(looked, r.Overlaps) {
			group = append(group, r)
		}
	}
	slices.SortStableFunc(group, func(a, b *Recording) int { return cmp.Compare(far(a), far(b)) })
	return group[:min(len(group), most)]
}
