// Package timeline places the arrows and notes of a row in a sequence diagram:
// where and when it begins, and where its response is. Screen and export draw
// the result. It is pure.
package timeline

import (
	"midwire/session"
	"midwire/session/wire"
)

// Kind is the kind of a drawn element.
type Kind uint8

// The kinds of event.
const (
	Request      Kind = iota // of a call, or of an HTTP exchange
	Response                 // to a request, or to none that is known
	Notification             //
	Note                     // something at the server's side: process, standard error
)

// Event is one arrow or note.
type Event struct {
	N    uint64 // frame
	T    int64  // nanoseconds since the recording started
	Dir  wire.Dir
	Kind Kind
	Bad  bool // it failed, or has failed to come
}

// Begin returns what a row starts with.
func Begin(r *session.Row) Event {
	e := Event{N: uint64(r.Request), T: r.T, Dir: r.Dir}
	bad := r.Ending.Failed()
	switch r.Kind {
	case session.RowCall, session.RowHTTP:
		e.Kind, e.Bad = Request, bad && !Ended(r)
	case session.RowNotification:
		e.Kind = Notification
	case session.RowResponse:
		e.Kind, e.Bad = Response, bad
	case session.RowNoise:
		e.Kind, e.Bad = Response, true
	default:
		e.Kind, e.Bad = Note, bad
	}
	return e
}

// Ended reports whether a row has its own end to be drawn: it is a request,
// and its response came or it was refused or cancelled.
func Ended(r *session.Row) bool {
	return (r.Kind == session.RowCall || r.Kind == session.RowHTTP) &&
		r.End != 0 && !r.Ending.Open() && !r.Ending.Lost()
}

// End returns the end of a row that has Ended. That of an HTTP exchange is at
// its first byte: a stream ends much later than its response begins.
func End(r *session.Row) Event {
	e := Event{
		N: max(uint64(r.Request), uint64(r.Response)), T: r.End, Dir: r.Dir.Opposite(), Kind: Response,
		Bad: r.Ending.IsError(),
	}
	if r.Kind == session.RowHTTP && r.First != 0 {
		e.T = r.First
	}
	return e
}
