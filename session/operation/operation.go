// Package operation holds what one side of a session wanted, and what came of it: a call, the
// handshake, a notification, a step of a login, a stream, a process. It is made once, while a
// recording is read; what is said of a session are questions to it.
//
// Its texts hold bytes from the wire: they are made safe and masked where they are shown.
package operation

import (
	"strings"

	"midwire/session"
	"midwire/session/wire"
)

// Kind says what was wanted.
type Kind uint8

// The kinds.
const (
	Call      Kind = iota // a request
	Handshake             // initialize, server/discover
	Notice                // a notification
	Exchange              // HTTP without JSON-RPC: metadata, a token, DELETE
	Stream                // a GET for an event stream
)

// Came says what came of it.
type Came uint8

// What can come.
const (
	Open      Came = iota // nothing yet
	Served                // a result
	Odd                   // a result that reads like a failure
	Cancelled             // its sender took it back at once
	Silent                // no response, or none in time
	Failed                // a result with isError
	Refused               // an error, an HTTP status of 400 and more, or what is no response
)

// Bad reports whether it was not served.
func (c Came) Bad() bool { return c >= Silent }

// Operation is what one side wanted. Equal ones of a session are one, with their Members.
type Operation struct {
	Kind    Kind
	Came    Came
	Session int // index, -1 for none
	Row     int // of the tracker, -1 for none
	Dir     wire.Dir
	Method  string // or verb and path of what is no message
	Target  string // tool, prompt or task by name, resource by URI

	N, Response uint64 // frames; Response is 0 where there is none
	T, End      int64  // nanoseconds since the recording started; End is 0 where there is none
	Len, RLen   uint32 // bytes

	Args   []byte // its arguments, or else its parameters, as JSON; the beginning
	Head   []byte // of its HTTP request; the beginning
	Ending session.Ending
	By     string // who ended its exchange, as wire.Close has it; "" for not seen
	Status int    // HTTP, 0 on stdio
	Got    string // head of the HTTP response, of what was refused; the beginning
	Code   int64  // JSON-RPC, 0 for none
	Words  string // what was said of the failure, or the beginning of a result
	Data   string // of the JSON-RPC error
	Event  bool   // it was said in JSON-RPC

	Progress int  // notifications of progress
	Done     bool // the latest says that all is done

	Members []Member // this one and equal ones, at most maxMembers
	Count   int      // how many there are
	Before  *Operation
	X       uint32 // HTTP exchange
	words   uint64 // hash of what was said, without what differs each time
}

// Member is one of equal operations.
type Member struct {
	Target, Args string
	N, Response  uint64
	T, End       int64
	Len          uint32
	Row          int
}

// Optional reports whether a server need not serve it, and may say so with 405: a stream of its
// own, the end of a session (basic/transports). Frameworks say 404 with a web page.
func (o *Operation) Optional() bool {
	page := wire.IsMediaType(wire.HeadValue([]byte(o.Got), "Content-Type"), "text/html")
	return (o.Status == 405 || o.Status == 404 && page) && (o.Kind == Stream || strings.HasPrefix(o.Method, "DELETE "))
}

// Took is how long it was under way, up to a time where it has not ended.
func (m *Member) Took(until int64) int64 {
	if m.End == 0 {
		return max(until-m.T, 0)
	}
	return m.End - m.T
}

// Authorized reports whether its HTTP request carried an Authorization header.
func (o *Operation) Authorized() bool { return wire.HeadValue(o.Head, "Authorization") != "" }

// Last is the latest member that is known.
func (o *Operation) Last() *Member { return &o.Members[len(o.Members)-1] }

// Frames are those of its members: each request with its response.
func (o *Operation) Frames() (all []uint64) {
	for _, m := range o.Members {
		if all = append(all, m.N); m.Response != 0 && m.Response != m.N {
			all = append(all, m.Response)
		}
	}
	return all
}

// The bounds of what is kept of one operation, in bytes, and of how many there are.
const (
	maxArgs, maxHead, maxWords = 1024, 4096, 1200
	maxPlain                   = 240 // of a result that was served
	maxMembers                 = 8
	maxBad                     = 64      // operations of a session that were not served
	maxBadInAll                = 4096    // and of a recording
	maxPending                 = 1 << 14 // that wait at the same time
	maxTallies, maxServed      = 64, 128 // methods and targets of a session
)
