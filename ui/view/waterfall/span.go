package waterfall

import (
	"slices"

	"midwire/session"
	"midwire/ui/library"
	"midwire/ui/messages"
)

// span is the time that rows take, and where nothing happens in it. It is extended as
// rows come, so that no drawing looks at all of them.
type span struct {
	rows   int
	edits  int      // of the list, when the first row was looked at
	lo, hi int64    // first arrival and last end, nanoseconds since the recording started
	busy   int64    // when the last message or call ended that has
	calls  []uint32 // without an end
	others []uint32 // likewise: streams, and what is no call
	quiet  gaps
}

const maxOpen = 256 // unfinished rows that are looked at again

func (s *span) extend(rec *library.Recording, l *messages.List) {
	if s.edits != l.Edits || s.rows > len(l.Visible) {
		*s = span{edits: l.Edits}
	}
	ended := func(id uint32) bool {
		row := rec.Tracker.Row(int(id))
		s.hi = max(s.hi, row.End)
		return !library.Unfinished(row)
	}
	s.others = slices.DeleteFunc(s.others, ended)
	s.calls = slices.DeleteFunc(s.calls, func(id uint32) bool {
		s.busy = max(s.busy, rec.Tracker.Row(int(id)).End)
		return ended(id)
	})
	for _, id := range l.Visible[s.rows:] {
		s.add(rec, id)
	}
}

func (s *span) add(rec *library.Recording, id uint32) {
	row := rec.Tracker.Row(int(id))
	t := max(row.T, 0)
	if s.rows == 0 {
		s.lo = t
	} else if len(s.calls) == 0 {
		s.quiet.add(s.busy, t)
	}
	s.rows++
	s.lo, s.hi, s.busy = min(s.lo, t), max(s.hi, t, row.End), max(s.busy, t)
	call := row.Kind == session.RowCall && !rec.IsStream(row)
	if call {
		s.busy = max(s.busy, row.End)
	}
	switch {
	case !library.Unfinished(row):
	case call && len(s.calls) < maxOpen:
		s.calls = append(s.calls, id)
	case !call && len(s.others) < maxOpen:
		s.others = append(s.others, id)
	}
}

// open says whether something is not finished.
func (s *span) open() bool { return len(s.calls)+len(s.others) > 0 }
