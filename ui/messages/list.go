package messages

import (
	"slices"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/ui/library"
	"midwire/ui/query"
)

// List is the virtual list of messages. Ids are rows of the tracker; selection and top are ids too, so that nothing
// moves under the cursor when rows come and go.
type List struct {
	library.Scope
	Query  *query.Query // nil shows everything
	Search search       // for the texts of query in the payloads

	Visible []uint32 // ids shown, ascending
	Scanned int      // ids of the scope looked at
	Last    uint32   // the latest of them
	Edits   int      // changes when vis does, but for what is added at its end

	Selection, Top uint32
	Height         int
	Follow         bool
	Unseen         int // rows that came since following was paused
	UnseenErr      int
	Order          Order // when it is not by number
	groups         Sections
	Failing        Failing
	gaps           pauses
	failure
}

// Reset shows another scope, or the same under other conditions; the selection
// stays where it is or goes to the nearest earlier row.
func (l *List) Reset(sc library.Scope, q *query.Query) {
	if l.Order.drop(l); sc != l.Scope {
		l.OrderByTime()
	}
	l.Scope, l.Query = sc, q
	l.Visible, l.Scanned, l.Last = l.Visible[:0], 0, 0
	l.Unseen, l.UnseenErr = 0, 0
	l.Edits++
	l.Search.restart(q)
}

// Total is how many ids the scope has, filtered or not.
func (l *List) Total() int {
	switch {
	case l.Rec == nil:
		return 0
	case l.Session == library.AllSessions:
		return l.Rec.Tracker.Rows()
	case l.Session == library.NoSession:
		return len(l.Rec.Tracker.Loose())
	}
	if s := l.Rec.Session(l.Session); s != nil {
		return len(s.Rows())
	}
	return 0
}

// IDAt is the id at a position of the scope.
func (l *List) IDAt(i int) uint32 {
	switch {
	case l.Session == library.AllSessions:
		return uint32(i)
	case l.Session == library.NoSession:
		return l.Rec.Tracker.Loose()[i]
	}
	return l.Rec.Session(l.Session).Rows()[i]
}

// Scan looks at up to limit more ids and says whether that was all.
func (l *List) Scan(limit int) bool {
	total := l.Total()
	if l.Scanned > total || l.Scanned > 0 && l.IDAt(l.Scanned-1) != l.Last {
		l.Reset(l.Scope, l.Query) // rows have changed their session
	}
	defer l.inOrder()()
	fresh := l.Scanned > 0
	end := min(total, l.Scanned+limit)
	for ; l.Scanned < end; l.Scanned++ {
		l.Last = l.IDAt(l.Scanned)
		if !l.Shows(l.Last) || l.Query == nil && l.follows(l.Last) {
			continue
		}
		l.Visible = append(l.Visible, l.Last)
		if fresh && !l.Follow {
			l.Unseen++
			if l.isError(l.Last) {
				l.UnseenErr++
			}
		}
	}
	if l.Follow {
		l.toEnd()
	}
	if l.toFailure && l.Scanned == total && l.Rec != nil && !l.Rec.Loads() {
		l.openAtFailure()
	}
	return l.Scanned == total
}

// follows says whether another row stands for a row too: the first of lines of standard error, or the
// call whose progress it is.
func (l *List) follows(id uint32) bool {
	if id == 0 {
		return false
	}
	row, before := l.Rec.Tracker.Row(int(id)), l.Rec.Tracker.Row(int(id-1))
	if row.Parent >= 0 && l.Rec.Tracker.Name(row.Name) == mcp.NotifyProgress {
		return true
	}
	return row.Kind == session.RowStderr && before.Kind == session.RowStderr && row.Session == before.Session
}

// Progress is the share of the scope that was looked at.
func (l *List) Progress() float64 {
	if t := l.Total(); t > 0 {
		return float64(l.Scanned) / float64(t)
	}
	return 1
}

func (l *List) isError(id uint32) bool {
	return l.Rec.Tracker.Row(int(id)).Ending.IsError()
}

// Shows says whether an id of the scope passes the filter.
func (l *List) Shows(id uint32) bool { return l.Query.Match(l.subject(id)) }

// subject is what an id stands for.
func (l *List) subject(id uint32) query.Subject {
	s := query.RowSubject(l.Rec, int(id), &l.Search.Found)
	s.Base = l.base()
	return s
}

// base is where time begins, as the list shows it.
func (l *List) base() int64 {
	if s := l.Current(); s != nil {
		return s.Started
	}
	return 0
}

// Changed looks again at rows whose answer or state came later.
func (l *List) Changed(rows []int) {
	l.groups.changed(l, rows)
	if l.Query == nil || l.Scanned == 0 {
		return
	}
	defer l.inOrder()()
	for _, r := range rows {
		id := uint32(r)
		if id > l.Last || !l.InScope(id) {
			continue
		}
		at, found := slices.BinarySearch(l.Visible, id)
		switch want := l.Shows(id); {
		case want && !found:
			l.Edits++
			l.Visible = slices.Insert(l.Visible, at, id)
		case !want && found:
			l.Edits++
			l.Visible = slices.Delete(l.Visible, at, at+1)
		}
	}
}

// InScope says whether an id belongs to the sessions that are shown.
func (l *List) InScope(id uint32) bool {
	s := l.Rec.Tracker.Row(int(id)).Session
	return l.Session == library.AllSessions || l.Session == library.NoSession && s < 0 || int(s) == l.Session
}

// Nearest is the position of an id, or of the nearest one before it.
func (l *List) Nearest(id uint32) int {
	if l.Order.On {
		return l.Order.placed(id)
	}
	at, found := slices.BinarySearch(l.Visible, id)
	if !found && at > 0 {
		at--
	}
	return at
}

// SelectedIndex is the position of the selection; -1 when nothing is shown.
func (l *List) SelectedIndex() int {
	if len(l.Visible) == 0 {
		return -1
	}
	return l.Nearest(l.Selection)
}

// Selected returns the selected id.
func (l *List) Selected() (uint32, bool) {
	if l.Grouped() && l.groups.heading.at(l.Selection) {
		return 0, false
	}
	if i := l.SelectedIndex(); i >= 0 {
		return l.Visible[i], true
	}
	return 0, false
}

// FirstIndex is the position of the first line on the screen.
func (l *List) FirstIndex() int {
	if len(l.Visible) == 0 {
		return 0
	}
	top := 0
	if l.Grouped() {
		top = l.groups.lineOf(l, l.Top, l.groups.top)
	} else if top = l.pauses().lineOf(l.Nearest(l.Top)); l.groups.top.at(l.Top) {
		top--
	}
	return max(0, min(top, l.Lines()-l.Height))
}

// Lines is how many lines there are to scroll through: the rows, and the headings
// of groups.
func (l *List) Lines() int {
	if l.Grouped() {
		return l.groups.Lines(l)
	}
	return len(l.Visible) + len(l.pauses().at)
}

// Line is one line of the list: a row, or the heading of a group.
type Line struct {
	ID      uint32 // of the row; of a heading the first row below it
	Heading bool
	Idle    int64 // nanoseconds in which nothing happened before the row; 0 for the row itself
}

// LineAt is the line at a position.
func (l *List) LineAt(i int) Line {
	if l.Grouped() {
		return l.groups.LineAt(l, i)
	}
	at, idle := l.pauses().lineAt(i)
	return Line{ID: l.Visible[at], Idle: idle}
}

// OnScreen are the rows that are seen.
func (l *List) OnScreen() (out []uint32) {
	top := l.FirstIndex()
	for i := top; i < min(top+l.Height, l.Lines()); i++ {
		if at := l.LineAt(i); !at.Heading && at.Idle == 0 {
			out = append(out, at.ID)
		}
	}
	return out
}

// SelectedLine is the position of the line that is selected, -1 when there is
// none.
func (l *List) SelectedLine() int {
	if l.Grouped() && len(l.Visible) > 0 {
		return l.groups.lineOf(l, l.Selection, l.groups.heading)
	}
	return l.pauses().lineOf(l.SelectedIndex())
}

// Move moves the selection by n lines. Moving up pauses following.
func (l *List) Move(n int) {
	l.toFailure = false
	if i := l.SelectedLine(); i >= 0 {
		if to := i + n; n < 0 && to > 0 && to < l.Lines() && l.LineAt(to).Idle > 0 {
			n-- // nothing is selected there
		}
		l.Go(i + n)
	}
	if n < 0 {
		l.Pause()
	}
}

// Go selects the line at a position, or the row below it where nothing happened, and
// brings it into view.
func (l *List) Go(i int) {
	if len(l.Visible) == 0 {
		return
	}
	to := l.LineAt(max(0, min(i, l.Lines()-1)))
	l.Selection, l.groups.heading = to.ID, anchor{to.Heading, to.ID}
	l.Reveal()
}

// Choose selects a row and brings it into view.
func (l *List) Choose(id uint32) {
	l.Pick(id)
	l.Reveal()
}

// Pick selects a row, whose group is unfolded, and scrolls nothing. A row that another stands for is
// shown from then on.
func (l *List) Pick(id uint32) {
	i, shown := slices.BinarySearch(l.Visible, id)
	if !shown && l.Rec != nil && l.Query == nil && id <= l.Last && l.follows(id) {
		l.Visible = slices.Insert(l.Visible, i, id)
		l.Edits++
	}
	l.Selection, l.groups.heading, l.toFailure = id, anchor{}, false
	if l.Grouped() {
		l.groups.unfold(l, id)
	}
}

// Reveal scrolls as little as needed to show the selection.
func (l *List) Reveal() {
	i, top := l.SelectedLine(), l.FirstIndex()
	if i < 0 || l.Height <= 0 {
		return
	}
	if i < top {
		top = i
	} else if i >= top+l.Height {
		top = i - l.Height + 1
	}
	l.setTop(top)
}

func (l *List) setTop(i int) {
	to := l.LineAt(max(0, min(i, l.Lines()-1)))
	l.Top, l.groups.top = to.ID, anchor{to.Heading || to.Idle > 0, to.ID}
}

// Scroll moves the view and not the selection.
func (l *List) Scroll(n int) {
	if len(l.Visible) == 0 {
		return
	}
	if n < 0 {
		l.Pause()
	}
	l.setTop(max(0, min(l.FirstIndex()+n, l.Lines()-l.Height)))
}

// Pause stops following the newest message.
func (l *List) Pause() { l.Follow = false }

// Resume follows the newest row again.
func (l *List) Resume() {
	l.OrderByTime()
	l.groups.On = false
	l.Follow, l.Unseen, l.UnseenErr = true, 0, 0
	l.toEnd()
}

func (l *List) toEnd() { l.Go(l.Lines() - 1) }

// Resize keeps the selection on the screen when it was there.
func (l *List) Resize(height int) {
	if height == l.Height {
		return
	}
	i, top := l.SelectedLine(), l.FirstIndex()
	seen := i >= top && i < top+l.Height || l.Height == 0
	l.Height = height
	if seen {
		l.Reveal()
	}
}

// Problem returns the position of the next or previous row that went wrong, or
// where a finding shows; -1 when there is none.
func (l *List) Problem(step int) int {
	x := &l.Rec.Findings
	for i := l.SelectedIndex() + step; i >= 0 && i < len(l.Visible); i += step {
		id := l.Visible[i]
		e := l.Rec.Tracker.Row(int(id)).Ending
		if e.Bad() || e == session.Irregular || x.ShowsAtRow[int32(id)] != 0 {
			return i
		}
	}
	return -1
}
