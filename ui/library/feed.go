package library

import (
	"midwire/session"
	"midwire/session/notes"
	"midwire/session/wire"
)

// Take takes in a frame that was delivered for r.
func (r *Recording) Take(f *wire.Tagged) session.Step { return r.Apply(&f.Frame) }

// FinishFindings tells the checker that a recording was read to its end.
func (r *Recording) FinishFindings() {
	x := &r.Findings
	if x.checker == nil || x.Finished || r.Live || !r.AtEnd && r.Loading < 1 {
		return
	}
	x.Finished = true
	x.checker.Finish()
}

// NameAt is where the name of a session is kept; false when it has no message.
func (r *Recording) NameAt(s *session.Session) (notes.Key, bool) {
	if len(s.Rows()) == 0 {
		return notes.Key{}, false
	}
	return notes.RowKey(notes.Session, r.Tracker.Row(int(s.Rows()[0]))), true
}
