package insight

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
	"midwire/ui/view"
	"midwire/ui/view/reading"
)

// base is what the views that insights answer have in common.
type base struct {
	reader   *reading.Reader
	answered bool
	h        int // lines of what was drawn
}

// halves is what views share that have a list, and below it more about the line that
// is selected.
type halves struct {
	base
	view.Halves
}

// scopeWords says what a view is about, for the status line.
func scopeWords(s library.Scope) safe.Text {
	switch n := len(s.Rec.Tracker.Sessions()); {
	case s.Session == library.NoSession:
		return "what belongs to no session"
	case n > 1 && s.Session == library.AllSessions:
		return "the whole recording: " + term.Count(n, "session")
	case n > 1:
		return "one session of " + term.Number(n)
	}
	return "the whole recording"
}
