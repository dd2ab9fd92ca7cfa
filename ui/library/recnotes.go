package library

import (
	"midwire/session"
	"midwire/session/notes"
)

// Noted are the notes of a recording as the screen has them.
type Noted struct {
	Notes   *notes.Notes
	Unsaved bool // changed since they were kept
	Saving  bool
	Unkept  bool // they live for the process
	Stamp   int  // changes when they do
}

// Marked says whether the user marked a row.
func (r *Recording) Marked(i int) bool {
	return i >= 0 && r.Notes.Text(notes.RowKey(notes.Mark, r.Tracker.Row(i))) != ""
}

// Comment is what the user wrote about a row, "" for nothing.
func (r *Recording) Comment(i int) string {
	if i < 0 {
		return ""
	}
	return r.Notes.Text(notes.RowKey(notes.Comment, r.Tracker.Row(i)))
}

// CalledSession is what the user calls a session, "" for nothing.
func (r *Recording) CalledSession(s *session.Session) string {
	if k, ok := notes.SessionKey(r.Tracker, s); ok {
		return r.Notes.Text(k)
	}
	return ""
}
