package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
	"midwire/session/words"
)

// Script is what the clients of one recording did, and which responses they
// got. It keeps positions and no payloads but the last batches: they are read
// from the file when they are needed. It does not change after Load; any
// goroutine may use it, until Close.
type Script struct {
	Header   record.Header
	Path     string
	Sessions []Session
	Steps    []Step // in the order in which they were taken
	Calls    []Call // the client's requests, in the order of Steps
	// Unprompted server messages.
	ServerRequests []Sent
	Notifications  []Sent
	Events         []Event
	// Remarks say what is wrong with the recording, for people: it is torn,
	// has gaps, began in the middle of a session.
	Remarks []string
	Cut     bool // it is not read to its end, as it is too long

	reader    *record.Reader
	tracker   *session.Tracker
	exchanges map[uint32]exchange
	batches   batches
}

// Session is one session of a recording.
type Session struct {
	session.Session
	// Connection numbers what carried the session: the process on stdio, which
	// all sessions of a stdio recording share; otherwise the session itself.
	Connection int
	// Middle says that the recording began after the handshake.
	Middle bool
}

// StepKind is what a client did.
type StepKind uint8

// The kinds of step.
const (
	StepSend   StepKind = iota // it sent a message or a batch
	StepStream                 // it opened an event stream (GET)
	StepDelete                 // it ended its session (DELETE)
)

// Step is one thing a client did.
type Step struct {
	Frame   uint32 // the payload; of a request without one, its head
	X       uint32 // exchange, 0 on stdio
	T       int64  // nanoseconds since the recording started
	Row     uint32 // first row of it
	First   int32  // its calls are Calls[First:First+Count]
	Count   int32
	Session int32
	Cancels int32 // the call it cancels, -1 for none
	Kind    StepKind
}

// Call is a request of a client.
type Call struct {
	Row  uint32
	Step int32
	// Before is the call of an earlier round that this one continues
	// (2026-07-28, 6.6), -1 for none.
	Before int32
}

// Sent is a request or a notification of the server.
type Sent struct {
	Row     uint32
	Session int32
	Call    int32 // the client's call that it belongs to, -1 for none
}

// EventKind is what happened in a recording, as its client saw it.
type EventKind uint8

// The kinds of event.
const (
	EventStep         EventKind = iota // the client took a step
	EventResponse                      // the response to a call came
	EventTaken                         // the server took a step that gets no response
	EventNotification                  // a notification came that a client may act on
	EventLeave                         // the client gave up the exchange of a step
)

// Event is one of them. The order of events is what a client knew when it did
// something: a step behind a response may depend on it.
type Event struct {
	Frame uint32
	Index int32 // step, call or note
	Kind  EventKind
}

type exchange struct {
	head, resp, end uint32
	left            bool // the client ended it
	stream          bool // the response was an event stream
}

// Close closes the file.
func (s *Script) Close() error { return s.reader.Close() }

// Row returns a row of the recording.
func (s *Script) Row(i uint32) *session.Row { return s.tracker.Row(int(i)) }

// Name is the method of a row, or for what is no message a short name.
func (s *Script) Name(r *session.Row) string { return s.tracker.Name(r.Name) }

// CallRow returns the row of a call.
func (s *Script) CallRow(call int32) *session.Row { return s.Row(s.Calls[call].Row) }

// SessionOf is the index of a call's session.
func (s *Script) SessionOf(call int32) int32 { return s.Steps[s.Calls[call].Step].Session }

// Method returns the method of a call.
func (s *Script) Method(call int32) string { return s.Name(s.CallRow(call)) }

// Target is the tool, prompt, resource or task a call is about, "" for none.
func (s *Script) Target(call int32) string {
	method := s.Method(call)
	if mcp.Target(method) == "" {
		return ""
	}
	m, err := s.Request(call)
	if err != nil {
		return ""
	}
	return TargetOf(method, m.Params)
}

// Label names a call for people: its method, and the tool, prompt or resource
// it is about. It holds text from the wire.
func (s *Script) Label(call int32) string { return Label(s.Method(call), s.Target(call)) }

// Label names a call of that method and target.
func Label(method, target string) string { return words.Join(method, target) }

// TargetOf is what a request is about, "" when it does not say.
func TargetOf(method string, params []byte) string {
	member := mcp.Target(method)
	if member == "" {
		return ""
	}
	return wire.Text(wire.Get(params, member))
}

// Request returns the message of a call.
func (s *Script) Request(call int32) (wire.Message, error) {
	r := s.CallRow(call)
	return s.Message(r.Request, r.Batch)
}

// RawResponse returns the bytes of the message that was the response to a call.
func (s *Script) RawResponse(call int32) ([]byte, error) {
	r := s.CallRow(call)
	if r.Response == 0 {
		return nil, fmt.Errorf("call #%d of %s has no response", r.Request, s.Path)
	}
	return s.Element(r.Response, r.RBatch)
}

// Recorded is the response to a call in the recording.
func (s *Script) Recorded(call int32) Response {
	row := s.CallRow(call)
	m := wire.Message{}
	if row.Response != 0 { // what cannot be read is no JSON-RPC
		m, _ = s.Message(row.Response, row.RBatch)
	}
	r := NewResponse(&m, int(row.Status), time.Duration(row.Latency()))
	switch {
	case row.Response != 0:
	case row.Ending.GaveUp():
		r.None = Cancelled
	default:
		r.None = noResponse
	}
	return r
}

// Message returns one message of a frame.
func (s *Script) Message(frame uint32, batch uint16) (wire.Message, error) {
	raw, err := s.Element(frame, batch)
	if err != nil {
		return wire.Message{}, err
	}
	m, ok := wire.ScanMessage(raw)
	if !ok {
		return m, fmt.Errorf("frame %d of %s is no JSON-RPC message", frame, s.Path)
	}
	return m, nil
}

// Payload returns the bytes of a frame that should be JSON-RPC, decompressed,
// and joined when they came in parts. They are the caller's.
func (s *Script) Payload(frame uint32) ([]byte, error) {
	if piece := s.tracker.Piece(frame); piece != nil {
		return bytes.Clone(piece), nil
	}
	f, err := s.reader.Frame(uint64(frame))
	if err != nil {
		return nil, err
	}
	for n := f.N + 1; f.Part == wire.More; n++ {
		next, err := s.reader.Frame(n)
		if err != nil {
			return nil, err
		}
		if next.Kind == f.Kind && next.Dir == f.Dir && next.X == f.X && next.Conn == f.Conn {
			f.Data, f.Part = append(f.Data, next.Data...), next.Part
		}
	}
	if f.Kind == wire.KindRequest || f.Kind == wire.KindResponse {
		return nil, nil
	}
	f.Part = wire.Whole
	return s.tracker.Payload(&f), nil
}

// exchange returns what is known of an HTTP exchange, nothing on stdio.
func (s *Script) exchange(x uint32) exchange { return s.exchanges[x] }

// RequestHead returns the head of the request that carried a step, false on
// stdio.
func (s *Script) RequestHead(step int32) (wire.Head, bool) {
	return s.head(s.exchange(s.Steps[step].X).head)
}

// ResponseHead returns the head of the response to a request's exchange.
func (s *Script) ResponseHead(r *session.Row) (wire.Head, bool) { return s.head(s.exchange(r.X).resp) }

func (s *Script) head(frame uint32) (wire.Head, bool) {
	if frame == 0 {
		return wire.Head{}, false
	}
	f, err := s.reader.Frame(uint64(frame))
	if err != nil {
		return wire.Head{}, false
	}
	return wire.ParseHead(f.Data)
}

// Streams reports whether a request got an event stream as its response.
func (s *Script) Streams(r *session.Row) bool { return r.Conn != 0 && s.exchange(r.X).stream }

// LeftAfter is how long after a step its client gave up the exchange of it.
func (s *Script) LeftAfter(step int32) (time.Duration, bool) {
	one := &s.Steps[step]
	f, err := s.reader.Frame(uint64(s.exchange(one.X).end))
	return time.Duration(f.T - one.T), err == nil
}

// CallAt returns the call that a frame is of: its request, its response, or a head of
// its HTTP exchange.
func (s *Script) CallAt(frame uint64) (call int32, ok bool) {
	for i := range s.Calls {
		r := s.CallRow(int32(i))
		x := s.exchange(r.X)
		for _, n := range [...]uint32{r.Request, r.Response, x.head, x.resp} {
			if n != 0 && uint64(n) == frame {
				return int32(i), true
			}
		}
	}
	return 0, false
}

// Programs are the files that the server of the recording was started from, none where
// the recording does not say.
func (s *Script) Programs() []wire.Program {
	var start wire.Start
	if f, err := s.reader.Frame(1); err == nil && f.Kind == wire.KindStart {
		_ = json.Unmarshal(f.Data, &start) // of another version: none
	}
	return start.Files
}
