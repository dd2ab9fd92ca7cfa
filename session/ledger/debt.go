// Package ledger says who owes what in a session: which request waits for its
// response, on what that waits in turn, and what else one side has to do so that the
// session goes on.
//
// A Ledger watches the events of a session.Tracker. Like it, it is pure: the same
// frames always give the same debts. It keeps no payloads, does a bounded amount of
// work for an event, and keeps a bounded number of debts.
package ledger

import (
	"midwire/session"
	"midwire/session/wire"
)

// Kind says what is owed.
type Kind uint8

// The kinds of debt. Page is owed least: a client need not read a list to its end.
const (
	Response  Kind = iota // the response to a request
	Handshake             // notifications/initialized, after the response to initialize
	Resume                // a GET with Last-Event-ID, after a stream that ended without the response
	Input                 // the next round of a request, after a response that asked for input
	Task                  // a request for the outcome of a task, until that has ended
	Page                  // a request for the next page of a list
	kinds
)

// Debt is something that one side owes the other. It is a value: it does not change.
type Debt struct {
	Kind    Kind
	Row     int32    // the call that it is about
	Session int      // index of its session
	Method  string   // of the call
	Owes    wire.Dir // which way what is owed goes: the server owes what goes wire.ToClient
	N       uint64   // the frame that opened it: the request, or what followed it
	T       int64    // when, nanoseconds since the recording started

	// For is the call in whose course a request of the other side came, -1 for none
	// or when it is not known. Sure says that the wire shows it: it came on the
	// stream of that call. Otherwise the call was the only one.
	For  int32
	Sure bool
	// Question is the latest request of the other side in the course of the call, -1
	// for none; Questions says how many there were.
	Question  int32
	Questions int
	// Heard is the latest frame that showed that somebody is at it: progress, a look
	// at a task; 0 for none. HeardT is when.
	Heard  uint64
	HeardT int64
	// Due is when the other side asked for it at the earliest, 0 for at once.
	Due int64

	// End is how it ended. A response that the other side refused is Undelivered. A
	// debt of another kind than Response is Served when it was paid, and Withdrawn
	// when a new handshake or a list from its beginning made it void.
	End  session.Ending
	EndN uint64 // the frame that ended it, 0 while it is open
	EndT int64
}

// Debtor is the side that owes it: "client" or "server".
func (d *Debt) Debtor() string { return side(d.Owes) }

// side is the side that sends what goes that way.
func side(d wire.Dir) string {
	if d == wire.ToServer {
		return "client"
	}
	return "server"
}

// Streams is what is known of the GET streams of a session on Streamable HTTP.
type Streams struct {
	Open  int    // how many are open
	N     uint64 // request of the one that opened the latest time without any; 0 for none
	Since int64  // when its response began
	EndN  uint64 // the frame that ended the last of them, 0 while one is open
	EndT  int64

	// Calls of the client, by what was open: Inside got its response while a stream
	// was open, After when one had been open at its beginning and had ended, Outside
	// without any. Vain ended without a response while a stream was open all the time.
	Inside, After, Outside, Vain int
}
