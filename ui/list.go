package ui

import (
	"slices"

	"midwire/session"
	"midwire/ui/library"
	"midwire/ui/query"
)

// list is the virtual list of messages. Ids are rows of the tracker, or frame
// numbers when frames is set; selection and top are ids too, so that nothing
// moves under the cursor when rows come and go.
type list struct {
	library.Scope
	frames bool
	query  *query.Query // nil shows everything
	search search       // for the texts of query in the payloads

	vis     []uint32 // ids shown, ascending
	scanned int      // ids of the scope looked at
	last    uint32   // the latest of them
	edits   int      // changes when vis does, but for what is added at its end

	sel, top  uint32
	height    int
	follow    bool
	unseen    int // rows that came since following was paused
	unseenErr int
	order     order // when it is not by number
}

// reset shows another scope, or the same under other conditions; the selection
// stays where it is or goes to the nearest earlier row.
func (l *list) reset(sc library.Scope, frames bool, q *query.Query) {
	if l.order.drop(l); sc != l.Scope || frames != l.frames {
		l.unsort()
	}
	l.Scope, l.frames, l.query = sc, frames, q
	l.vis, l.scanned, l.last = l.vis[:0], 0, 0
	l.unseen, l.unseenErr = 0, 0
	l.edits++
	l.search.restart(q)
}

func (l *list) total() int {
	switch {
	case l.Rec == nil:
		return 0
	case l.frames:
		return len(l.Rec.Frames)
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

// methodWidth is how many cells the longest method takes.
func (l *list) methodWidth() int {
	if l.Rec == nil {
		return 0
	}
	return l.Rec.MethodCells
}

func (l *list) at(i int) uint32 {
	switch {
	case l.frames:
		return uint32(l.Rec.Frames[i].N)
	case l.Session == library.AllSessions:
		return uint32(i)
	case l.Session == library.NoSession:
		return l.Rec.Tracker.Loose()[i]
	}
	return l.Rec.Session(l.Session).Rows()[i]
}

// scan looks at up to limit more ids and says whether that was all.
func (l *list) scan(limit int) bool {
	total := l.total()
	if l.scanned > total || l.scanned > 0 && l.at(l.scanned-1) != l.last {
		l.reset(l.Scope, l.frames, l.query) // rows have changed their session
	}
	defer l.inOrder()()
	fresh := l.scanned > 0
	end := min(total, l.scanned+limit)
	for ; l.scanned < end; l.scanned++ {
		l.last = l.at(l.scanned)
		if !l.shows(l.last) {
			continue
		}
		l.vis = append(l.vis, l.last)
		if fresh && !l.follow {
			l.unseen++
			if l.isError(l.last) {
				l.unseenErr++
			}
		}
	}
	if l.follow {
		l.toEnd()
	}
	return l.scanned == total
}

// progress is the share of the scope that was looked at.
func (l *list) progress() float64 {
	if t := l.total(); t > 0 {
		return float64(l.scanned) / float64(t)
	}
	return 1
}

func (l *list) isError(id uint32) bool {
	return !l.frames && l.Rec.Tracker.Row(int(id)).Verdict == session.VerdictError
}

// shows says whether an id of the scope passes the filter.
func (l *list) shows(id uint32) bool {
	s, ok := l.subject(id)
	return ok && l.query.Match(s)
}

// subject is what an id stands for; ok is false for a frame outside the scope.
func (l *list) subject(id uint32) (s query.Subject, ok bool) {
	if !l.frames {
		s = query.RowSubject(l.Rec, int(id), &l.search.Found)
		s.Base = l.base()
		return s, true
	}
	m := l.Rec.Frame(uint64(id))
	if m == nil || l.Session >= 0 && int(m.Session) != l.Session || l.Session == library.NoSession && m.Session >= 0 {
		return s, false
	}
	s = query.FrameSubject(l.Rec, m, &l.search.Found)
	s.Base = l.base()
	return s, true
}

// base is where time begins, as the list shows it.
func (l *list) base() int64 {
	if s := l.Current(); s != nil {
		return s.Started
	}
	return 0
}

// changed looks again at rows whose answer or state came later.
func (l *list) changed(rows []int) {
	if l.query == nil || l.frames || l.scanned == 0 {
		return
	}
	defer l.inOrder()()
	for _, r := range rows {
		id := uint32(r)
		if id > l.last || !l.inScope(id) {
			continue
		}
		at, found := slices.BinarySearch(l.vis, id)
		switch want := l.shows(id); {
		case want && !found:
			l.edits++
			l.vis = slices.Insert(l.vis, at, id)
		case !want && found:
			l.edits++
			l.vis = slices.Delete(l.vis, at, at+1)
		}
	}
}

func (l *list) inScope(id uint32) bool {
	s := l.Rec.Tracker.Row(int(id)).Session
	return l.Session == library.AllSessions || l.Session == library.NoSession && s < 0 || int(s) == l.Session
}

// nearest is the position of an id, or of the nearest one before it.
func (l *list) nearest(id uint32) int {
	if l.order.on {
		return l.order.placed(id)
	}
	at, found := slices.BinarySearch(l.vis, id)
	if !found && at > 0 {
		at--
	}
	return at
}

// index is the position of the selection; -1 when nothing is shown.
func (l *list) index() int {
	if len(l.vis) == 0 {
		return -1
	}
	return l.nearest(l.sel)
}

// selected returns the selected id.
func (l *list) selected() (uint32, bool) {
	if i := l.index(); i >= 0 {
		return l.vis[i], true
	}
	return 0, false
}

// first is the position of the top row on the screen.
func (l *list) first() int {
	if len(l.vis) == 0 {
		return 0
	}
	return max(0, min(l.nearest(l.top), len(l.vis)-l.height))
}

// move moves the selection by n rows. Moving up pauses following.
func (l *list) move(n int) {
	if i := l.index(); i >= 0 {
		l.to(i + n)
	}
	if n < 0 {
		l.pause()
	}
}

// to selects the row at a position and brings it into view.
func (l *list) to(i int) {
	if len(l.vis) == 0 {
		return
	}
	i = max(0, min(i, len(l.vis)-1))
	l.sel = l.vis[i]
	l.reveal()
}

// reveal scrolls as little as needed to show the selection.
func (l *list) reveal() {
	i, top := l.index(), l.first()
	if i < 0 || l.height <= 0 {
		return
	}
	if i < top {
		top = i
	} else if i >= top+l.height {
		top = i - l.height + 1
	}
	l.top = l.vis[max(0, top)]
}

// scroll moves the view and not the selection.
func (l *list) scroll(n int) {
	if len(l.vis) == 0 {
		return
	}
	if n < 0 {
		l.pause()
	}
	top := max(0, min(l.first()+n, len(l.vis)-l.height))
	l.top = l.vis[max(0, min(top, len(l.vis)-1))]
}

func (l *list) pause() { l.follow = false }

// resume follows the newest row again.
func (l *list) resume() {
	l.unsort()
	l.follow, l.unseen, l.unseenErr = true, 0, 0
	l.toEnd()
}

func (l *list) toEnd() { l.to(len(l.vis) - 1) }

// resize keeps the selection on the screen when it was there.
func (l *list) resize(height int) {
	if height == l.height {
		return
	}
	i, top := l.index(), l.first()
	seen := i >= top && i < top+l.height || l.height == 0
	l.height = height
	if seen {
		l.reveal()
	}
}

// problem returns the position of the next or previous row that went wrong, or
// where a finding shows; -1 when there is none. Frames go wrong by findings
// alone.
func (l *list) problem(step int) int {
	x := &l.Rec.Findings
	for i := l.index() + step; i >= 0 && i < len(l.vis); i += step {
		id := l.vis[i]
		if l.frames {
			if x.ShowsAtFrame[uint64(id)] != 0 {
				return i
			}
			continue
		}
		switch l.Rec.Tracker.Row(int(id)).Verdict {
		case session.VerdictError, session.VerdictWarning, session.VerdictLost:
			return i
		}
		if x.ShowsAtRow[int32(id)] != 0 {
			return i
		}
	}
	return -1
}
