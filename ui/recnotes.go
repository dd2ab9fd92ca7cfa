package ui

import (
	"midwire/session"
	"midwire/session/notes"
)

// noted are the notes of a recording as the screen has them.
type noted struct {
	notes   *notes.Notes
	changed bool // since they were kept
	saving  bool
	unkept  bool // they live for the process
	stamp   int  // changes when they do
}

// marked says whether the user marked a row.
func (r *recording) marked(i int) bool {
	return i >= 0 && r.notes.Text(notes.RowKey(notes.Mark, r.t.Row(i))) != ""
}

// comment is what the user wrote about a row, "" for nothing.
func (r *recording) comment(i int) string {
	if i < 0 {
		return ""
	}
	return r.notes.Text(notes.RowKey(notes.Comment, r.t.Row(i)))
}

// calledSession is what the user calls a session, "" for nothing.
func (r *recording) calledSession(s *session.Session) string {
	if k, ok := notes.SessionKey(r.t, s); ok {
		return r.notes.Text(k)
	}
	return ""
}
