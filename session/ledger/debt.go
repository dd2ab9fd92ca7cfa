// Package ledger tracks which side owes what in a session: which request waits for its
// response, what that waits for in turn, and what else one side must do for the session
// to continue. The table in table.go is the only place that says what is due after what.
//
// A Ledger watches the events of a session.Tracker. Like it, it is pure: the same
// frames always give the same debts. It keeps no payloads, does a bounded amount of
// work for an event, and keeps a bounded number of debts.
package ledger

import (
	"midwire/session"
	"midwire/session/wire"
)

// Kind says what is owed. Table has what there is to say of each.
type Kind uint8

// The kinds of debt, in the order in which an event is taken.
const (
	Response        Kind = iota // the response to a request, in either direction
	Handshake                   // notifications/initialized, after the response to initialize
	SessionID                   // the session id that the server gave, with every later request
	Page                        // a request for the next page of a list
	Renewal                     // a new initialize, after 404 to the id of a session
	Resume                      // a GET with Last-Event-ID, after a stream that ended without the response
	Exit                        // the end of the process, after its stdin was closed
	Input                       // the next round of a request, after a result that asked for input
	Task                        // a request for the outcome of a task, until that has ended
	TaskResult                  // tasks/result, after the task was completed
	List                        // a list is read again, after it changed
	Acknowledgement             // the first message of a subscription
	Token                       // a token request, after the browser brought the code
	TokenUse                    // a request with the token, after it was issued
	kinds
)

// maxWent is how many of the messages a debt keeps by which its debtor continued.
const maxWent = 8

// Debt is something that one side owes the other. It is a value: it does not change.
type Debt struct {
	Kind    Kind
	Row     int32  // the call, or other row, that it is about; -1 for none
	Session int    // index of its session, Whole for none
	Method  string // of the call
	Name    string // what it is about beside the call: a task's or a session's id, "" for none
	Status  string // of a task: its last status, from the frame Told; of a session's id: headers that pages see
	Told    uint64
	ToldT   int64
	Asks    string   // the method of the first question, of Input
	Owes    wire.Dir // which way what is owed goes: the server owes what goes wire.ToClient
	N       uint64   // the frame that opened it: the request, or what followed it
	T       int64    // when, nanoseconds since the recording started

	// For is the call in whose course a request of the other side came, -1 for none
	// or when it is not known. Sure says that the wire shows it: it came on the
	// stream of that call. Otherwise the call was the only one.
	For  int32
	Sure bool
	// Question is the latest request of the other side in the course of the call, -1
	// for none; Questions says how many there were, or how often it was requested.
	Question  int32
	Questions int
	// Heard is the latest frame that showed that work continues: progress, a look
	// at a task; 0 for none. Signs says how many there were.
	Heard uint64
	Signs int
	// Went are the rows of the first messages by which the debtor continued as if
	// nothing were due; Times says how many there were.
	Went  [maxWent]int32
	Times int
	// Due is the earliest time that the other side allowed, 0 for at once.
	Due int64

	// End is how it ended. A response that the other side refused is Undelivered. A
	// debt of another kind than Response is Served when it was paid, Withdrawn when
	// something made it void, and Unanswered when it can no longer be paid.
	End  session.Ending
	EndN uint64 // the frame that ended it, 0 while it is open
	EndT int64

	id uint64 // what it is found by beside its row, 0 for none
}

// Whole is the session of debts that are of none: those of a login.
const Whole = -1

// Paid reports whether what was due came.
func (d *Debt) Paid() bool { return d.End == session.Served }

// Missing reports whether what is due has not come, or never came.
func (d *Debt) Missing() bool { return d.End.Open() || d.End == session.Unanswered }

// went notes a message by which the debtor continued.
func (d *Debt) went(row int32) {
	if d.Times < maxWent {
		d.Went[d.Times] = row
	}
	d.Times++
}

// heard notes a sign that work continues.
func (d *Debt) heard(e *session.Event) {
	d.Heard = e.N
	d.Signs++
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

// Pipes is what is known of the pipes of the process that runs, or ran last.
type Pipes struct {
	Stdin, Stdout   uint64 // frames of their ends, 0 while they are open
	StdinT, StdoutT int64
	StdinBy         string // who closed it, as frames say it
	Signal          uint64 // the latest signal that midwire got for the process, 0 for none
}
