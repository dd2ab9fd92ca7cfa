package session

// Ending is how an operation ended: a call, an HTTP exchange, a process. It is the
// one enumeration of that in the program: the tracker sets it once, on the row, and
// all else reads it. Its numbers stand in the files of summaries.
type Ending uint8

// The endings.
const (
	NoEnding    Ending = iota // of a row that cannot succeed or fail, and of a response that was not read
	Waiting                   // there is no response yet
	Served                    // a result, an HTTP status below 400, a process that began or ended well
	Refused                   // a JSON-RPC error, or an HTTP status of 400 and more
	Irregular                 // noise, a gap, a response to nothing, an end that a signal asked for
	Withdrawn                 // cancelled by its sender; not an error
	Unanswered                // its transport ended before the response
	ToolError                 // a result with isError
	Late                      // the response came after its asker had cancelled it
	Unreadable                // what came as the response is no JSON-RPC
	Undelivered               // it did not get to the other side, which is there: the gate dropped it
	Unreachable               // no connection to the other side could be made
	Crashed                   // a process that could not be started, or ended with a failure
	endings
)

// endingWords are the endings by name, and as users know them: in filters, JSON and files.
var endingWords = [endings]struct{ name, word string }{
	{"", ""},
	{"waiting", "pending"},
	{"served", "ok"},
	{"refused", "error"},
	{"irregular", "warn"},
	{"withdrawn", "cancelled"},
	{"unanswered", "lost"},
	{"tool error", "error"},
	{"late", "cancelled"},
	{"unreadable", "error"},
	{"undelivered", "lost"},
	{"unreachable", "error"},
	{"crashed", "error"},
}

// String returns the ending as a word, "" for NoEnding.
func (e Ending) String() string { return endingWords[e].name }

// Word is the ending in the words that filters, exports and schemas have for it: ok,
// error, pending, warn, cancelled, lost, and "" for NoEnding.
func (e Ending) Word() string { return endingWords[e].word }

// Known reports whether it is one of the endings: a file may hold any number.
func (e Ending) Known() bool { return e < endings }

// Open reports whether it has not ended.
func (e Ending) Open() bool { return e == Waiting }

// Result reports whether a result came in time; a tool may have failed in it.
func (e Ending) Result() bool { return e == Served || e == ToolError }

// IsError reports whether it is counted as an error.
func (e Ending) IsError() bool { return e.Word() == "error" }

// Denied reports whether something else came instead of a result.
func (e Ending) Denied() bool { return e.IsError() && e != ToolError }

// GaveUp reports whether its sender cancelled it.
func (e Ending) GaveUp() bool { return e.Word() == "cancelled" }

// Lost reports whether no response came, and none can.
func (e Ending) Lost() bool { return e.Word() == "lost" }

// Bad reports whether lists show it as failed. What its sender cancelled is not.
func (e Ending) Bad() bool { return e.IsError() || e.Lost() }

// Failed reports whether an operation was not served that its sender did not take back
// before it was.
func (e Ending) Failed() bool { return e.Bad() || e == Late }

// denied is the ending of what got a response without JSON-RPC.
func (t *Tracker) denied(ex *exchange) Ending {
	switch c := t.conns[ex.conn]; {
	case c != nil && c.unreachable:
		return Unreachable
	case ex.status >= 400:
		return Refused
	}
	return Unreadable
}
