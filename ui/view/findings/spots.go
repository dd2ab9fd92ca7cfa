package findings

import (
	"cmp"
	"slices"

	"midwire/session/diagnose"
	"midwire/ui/library"
)

// spot is one place where a finding shows: an exchange of the same kind as the
// others of its row.
type spot struct {
	library.Located
	n uint64 // the frame
}

func (s *spot) number() uint64 {
	if i := s.Rec.RowAt(s.n); i >= 0 {
		return uint64(s.Rec.Tracker.Row(i).Request)
	}
	return s.n
}

// spots are those of the selected row, in order of time, and which of them is
// proved.
type spots struct {
	key   entryKey
	all   []spot
	now   int
	lost  int  // of which no frame was kept
	stale bool // the findings are others
}

// of takes in the places of a row. The one that is shown stays the same.
func (s *spots) of(e *entry) {
	switch {
	case e == nil:
		*s = spots{}
		return
	case e.entryKey == s.key && !s.stale:
		return
	}
	var was spot
	if e.entryKey == s.key && s.now < len(s.all) {
		was = s.all[s.now]
	}
	*s = spots{key: e.entryKey}
	for _, f := range e.list {
		shows := f.Shows
		if len(shows) == 0 {
			shows = f.Frames[:min(len(f.Frames), 1)]
		}
		for _, n := range shows {
			s.all = append(s.all, spot{f, n})
		}
		if len(shows) == diagnose.MaxShows {
			s.lost += f.Count - len(shows)
		}
	}
	started := func(a spot) int64 { return a.Rec.Started.UnixNano() }
	slices.SortStableFunc(s.all, func(a, b spot) int {
		return cmp.Or(cmp.Compare(started(a), started(b)), cmp.Compare(a.n, b.n))
	})
	s.now = max(0, slices.IndexFunc(s.all, func(a spot) bool { return a.n == was.n && a.Rec == was.Rec }))
}

// find goes to the place where a finding shows at a row, or to its first.
func (s *spots) find(f library.Located, row int) {
	first := -1
	for i, one := range s.all {
		if one.Finding != f.Finding {
			continue
		}
		if first < 0 {
			first = i
		}
		if one.Rec.RowAt(one.n) == row {
			first = i
			break
		}
	}
	s.now = max(first, 0)
}

// current is the place that is shown, nil for none.
func (s *spots) current() *spot {
	if s.now >= len(s.all) {
		return nil
	}
	return &s.all[s.now]
}

func (s *spots) step(n int) { s.now = max(0, min(s.now+n, len(s.all)-1)) }
