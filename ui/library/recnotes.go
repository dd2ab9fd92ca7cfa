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
	return r.noteText(notes.Mark, i) != ""
}

// Comment is what the user wrote about a row, "" for nothing.
func (r *Recording) Comment(i int) string { return r.noteText(notes.Comment, i) }

func (r *Recording) noteText(kind notes.Kind, i int) string {
	if i < 0 {
		return ""
	}
	of, k := r.NoteAt(kind, i)
	return of.Notes.Text(k)
}

// CalledSession is what the user calls a session, "" for nothing.
func (r *Recording) CalledSession(s *session.Session) string {
	if of, k, ok := r.NameAt(s); ok {
		return of.Notes.Text(k)
	}
	return ""
}

// MarkedRows are rows that the user marked, the first most of them.
func (r *Recording) MarkedRows(most int) []int32 {
	out := []int32{}
	for _, k := range r.Notes.Of(notes.Mark) {
		if row := r.RowAt(k.Frame); row >= 0 && len(out) < most {
			out = append(out, int32(row))
		}
	}
	return out
}
