package ui

import (
	"midwire/session/safe"
	"midwire/ui/library"
	"midwire/ui/term"
)

// insightView is what the views that insights answer have in common.
type insightView struct {
	scroller
	reader   *insightReader
	answered bool
	w, h     int // of what was drawn
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
