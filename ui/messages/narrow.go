package messages

import (
	"slices"

	"midwire/ui/library"
)

// Chosen is the session of the selected line, -1 for none.
func (l *List) Chosen() int {
	if l.Rec == nil || len(l.Visible) == 0 {
		return -1
	}
	id := l.Visible[l.SelectedIndex()]
	if l.RawFrames {
		if f := l.Rec.Frame(uint64(id)); f != nil {
			return int(f.Session)
		}
		return -1
	}
	return int(l.Rec.Tracker.Row(int(id)).Session)
}

// GoToSession selects the message of a session that is nearest to the selected
// one, and says whether there is one.
func (l *List) GoToSession(i int) bool {
	id, ok := l.nearestOf(i)
	if ok {
		l.Pause()
		l.Choose(id)
	}
	return ok
}

// Narrow shows one session, or all: some of it at once. The selection stays on its
// message, on its line when the list has its new height.
func (l *List) Narrow(session, some int, resize func()) {
	id, line, follow := l.Selection, l.SelectedLine()-l.FirstIndex(), l.Follow
	l.Reset(library.Scope{Rec: l.Rec, Session: session}, l.RawFrames, l.Query)
	l.Scan(some)
	l.Pick(id)
	resize()
	l.PutOnLine(line)
	l.Follow = follow
}

// ToggleFrames turns between exchanges and raw frames and keeps the place. It
// looks at some of the list at once.
func (l *List) ToggleFrames(some int) {
	if l.Rec == nil {
		return
	}
	id, ok := l.Selected()
	if ok && l.RawFrames {
		if f := l.Rec.Frame(uint64(id)); f != nil && f.Row >= 0 {
			id = uint32(f.Row)
		}
	} else if ok {
		id = l.Rec.Tracker.Row(int(id)).Request
	}
	follow := l.Follow
	l.Reset(l.Scope, !l.RawFrames, l.Query)
	l.Scan(some)
	l.Selection, l.Top, l.Follow = id, id, follow
	l.Scroll(-l.Height / 2)
	l.Follow = follow
	l.Reveal()
}

// Waits says whether a call without a response is on the screen.
func (l *List) Waits() bool {
	if l.Rec == nil || !l.Rec.Live || l.RawFrames {
		return false
	}
	return slices.ContainsFunc(l.OnScreen(), func(id uint32) bool {
		row := l.Rec.Tracker.Row(int(id))
		return row.End == 0 && row.Ending.Open()
	})
}

// Failing is the filter for what failed, and the one that stood before.
type Failing struct{ Now, Before string }
