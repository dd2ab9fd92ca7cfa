package ui

import "midwire/session"

// Which messages a list shows, besides the sessions by index.
const (
	wholeRecording = -1
	looseRows      = -2
)

// scope is what the message list shows.
type scope struct {
	rec     *recording
	session int // index, wholeRecording or looseRows
}

// current returns the session the scope is about: the chosen one, or the only
// one of a recording.
func (s scope) current() *session.Session {
	if s.rec == nil {
		return nil
	}
	if s.session == wholeRecording && len(s.rec.t.Sessions()) == 1 {
		return s.rec.session(0)
	}
	return s.rec.session(s.session)
}
