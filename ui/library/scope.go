package library

import "midwire/session"

// Which messages a list shows, besides the sessions by index.
const (
	AllSessions = -1
	NoSession   = -2
)

// Scope is what the message list shows.
type Scope struct {
	Rec     *Recording
	Session int // index, wholeRecording or looseRows
}

// Sessions is how many sessions are shown together.
func (s Scope) Sessions() int {
	if s.Rec != nil && s.Session == AllSessions {
		return len(s.Rec.Tracker.Sessions())
	}
	return 1
}

// Current returns the session the scope is about: the chosen one, or the only
// one of a recording.
func (s Scope) Current() *session.Session {
	if s.Rec == nil {
		return nil
	}
	if s.Session == AllSessions && s.Sessions() == 1 {
		return s.Rec.Session(0)
	}
	return s.Rec.Session(s.Session)
}
