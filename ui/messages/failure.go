package messages

import "midwire/session/diagnose"

type failure struct {
	toFailure bool // the first failure is still to be selected
	opened    int  // 1 + the row of the failure that the list was opened at, 0 for none
}

// Open begins at the first failure of what has ended, as soon as it is known and unless
// something else is chosen before.
func (l *List) Open() {
	l.Selection, l.Top, l.opened = 0, 0, 0
	l.toFailure = l.Rec != nil && !l.Rec.Live && !l.RawFrames
}

// openAtFailure selects the first row that failed, if what is shown does not work.
func (l *List) openAtFailure() {
	l.toFailure = false
	s := l.Current()
	if s == nil {
		return
	}
	switch l.Rec.VerdictOf(s.Index).Outcome {
	case diagnose.Failed, diagnose.Impaired:
	default:
		return
	}
	for i, id := range l.Visible {
		if l.Rec.Tracker.Row(int(id)).Ending.Bad() {
			l.Choose(id)
			l.PutOnLine(max(l.Height-3, l.Height/2))
			l.opened = int(l.Visible[i]) + 1
			return
		}
	}
}
