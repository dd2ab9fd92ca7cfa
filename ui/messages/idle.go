package messages

import (
	"slices"
	"sort"

	"midwire/session"
)

// idleFrom is how long nothing happens before that has a line of its own.
const idleFrom = 5e9 // nanoseconds

// pauses are where in the list nothing happened for long. They are found as rows come,
// so that no drawing looks at all of them.
type pauses struct {
	at     []int // positions in Visible before which a pause stands
	took   []int64
	end    int64 // when the last of what was looked at is over
	open   []int // rows of those that were pending
	looked int
	edits  int
}

// pauses are those of the list, none where it is not in the order of time or a filter
// leaves rows out.
func (l *List) pauses() *pauses {
	p := &l.gaps
	if l.Rec == nil || l.Query != nil || !l.ByTime() {
		return &pauses{}
	}
	if p.edits != l.Edits || p.looked > len(l.Visible) {
		*p = pauses{edits: l.Edits}
	}
	for ; p.looked < len(l.Visible); p.looked++ {
		p.look(l, int(l.Visible[p.looked]))
	}
	return p
}

func (p *pauses) look(l *List, id int) {
	p.open = slices.DeleteFunc(p.open, func(i int) bool {
		row := l.Rec.Tracker.Row(i)
		p.end = max(p.end, row.End)
		return row.End > 0 || !row.Ending.Open()
	})
	row := l.Rec.Tracker.Row(id)
	if gap := row.T - p.end; p.looked > 0 && len(p.open) == 0 && gap >= idleFrom {
		p.at, p.took = append(p.at, p.looked), append(p.took, gap)
	}
	p.end = max(p.end, row.T)
	const few = 256
	if row.Kind == session.RowCall && !l.Rec.IsStream(row) && len(p.open) < few {
		p.open = append(p.open, id)
	}
}

// lineOf is the line of a position in the list.
func (p *pauses) lineOf(i int) int { return i + sort.SearchInts(p.at, i+1) }

// lineAt is the position of a line; a pause says how long it is, and has the position of
// the row below it.
func (p *pauses) lineAt(line int) (i int, pause int64) {
	k := sort.Search(len(p.at), func(k int) bool { return p.at[k]+k > line })
	if k > 0 && p.at[k-1]+k-1 == line {
		return p.at[k-1], p.took[k-1]
	}
	return line - k, 0
}
