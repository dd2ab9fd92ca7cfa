package replay

import (
	"bytes"
	"fmt"

	"midwire/session"
	"midwire/session/mcp"
	"midwire/session/record"
	"midwire/session/wire"
)

// Script is what the clients of one recording did, and what they were answered.
// It keeps positions and no payloads but the last batches: they are read from the
// file when they are needed. It does not change after Load; any goroutine may use it, until
// Close.
type Script struct {
	Header   record.Header
	Path     string
	Sessions []Session
	Steps    []Step // in the order in which they were taken
	Calls    []Call // the client's requests, in the order of Steps
	Asks     []Ask  // the server's requests
	Notes    []Note // the server's notifications
	Events   []Event
	// Remarks say what is wrong with the recording, for people: it is torn,
	// has gaps, began in the middle of a session.
	Remarks []string

	reader    *record.Reader
	tracker   *session.Tracker
	exchanges []exchange
	batches   batches
}

// Session is one session of a recording.
type Session struct {
	session.Session
	// Lane numbers what carried the session: the process on stdio, which all
	// sessions of a stdio recording share; otherwise the session itself.
	Lane int
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
	// Before is the call of an earlier round that this one goes on with
	// (2026-07-28, 6.6), -1 for none.
	Before int32
}

// Ask is a request of the server.
type Ask struct {
	Row     uint32
	Session int32
	Call    int32 // the client's call during which it came, -1 for none
}

// Note is a notification of the server.
type Note struct {
	Row     uint32
	Session int32
	Call    int32 // the client's call it belongs to, -1 for none
}

// EventKind is what happened in a recording, as its client saw it.
type EventKind uint8

// The kinds of event.
const (
	EventStep   EventKind = iota // the client took a step
	EventAnswer                  // a call was answered
	EventTaken                   // the server took a step that has no answer of its own
	EventNote                    // a notification came that a client may act on
	EventLeave                   // the client gave up the exchange of a step
)

// Event is one of them. The order of events is what a client knew when it did
// something: a step behind an answer may depend on it.
type Event struct {
	Frame uint32
	Index int32 // step, call or note
	Kind  EventKind
}

// exchange is what is known of an HTTP exchange.
type exchange struct {
	head, resp, end uint32
	left            bool // the client ended it
	stream          bool // the answer was an event stream
}

// Close closes the file.
func (s *Script) Close() error { return s.reader.Close() }

// row returns a row of the recording.
func (s *Script) row(i uint32) *session.Row { return s.tracker.Row(int(i)) }

// Method returns the method of a call.
func (s *Script) Method(call int32) string { return s.tracker.Name(s.row(s.Calls[call].Row).Name) }

// Label names a call for people: its method, and the tool, prompt or resource
// it is about. It holds text from the wire.
func (s *Script) Label(call int32) string { return labelOf(s.Method(call), s.target(call)) }

func labelOf(method, target string) string {
	if target != "" {
		return method + " " + target
	}
	return method
}

// target is the tool, prompt, resource or task a call is about.
func (s *Script) target(call int32) string {
	method := s.Method(call)
	if mcp.Target(method) == "" {
		return ""
	}
	m, err := s.request(call)
	if err != nil {
		return ""
	}
	return targetOf(method, m.Params)
}

// targetOf is what a request is about, "" when it does not say.
func targetOf(method string, params []byte) string {
	member := mcp.Target(method)
	if member == "" {
		return ""
	}
	return wire.Text(wire.Get(params, member))
}

// request returns the message of a call.
func (s *Script) request(call int32) (wire.Message, error) {
	r := s.row(s.Calls[call].Row)
	return s.message(r.Request, r.Batch)
}

// answer returns the message that answered a call. A call without one is an
// error; so is an answer that is no JSON-RPC.
func (s *Script) answer(call int32) (wire.Message, error) {
	r := s.row(s.Calls[call].Row)
	if r.Response == 0 {
		return wire.Message{}, fmt.Errorf("call #%d of %s has no answer", r.Request, s.Path)
	}
	return s.message(r.Response, r.RBatch)
}

// message returns one message of a frame.
func (s *Script) message(frame uint32, batch uint16) (wire.Message, error) {
	raw, err := s.element(frame, batch)
	if err != nil {
		return wire.Message{}, err
	}
	m, ok := wire.ScanMessage(raw)
	if !ok {
		return m, fmt.Errorf("frame %d of %s is no JSON-RPC message", frame, s.Path)
	}
	return m, nil
}

// payload returns the bytes of a frame that should be JSON-RPC, decompressed,
// and joined when they came in parts. They are the caller's.
func (s *Script) payload(frame uint32) ([]byte, error) {
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

// head returns the head of the request that carried a step, false on stdio.
func (s *Script) head(step int32) (wire.Head, bool) {
	x := s.Steps[step].X
	if int(x) >= len(s.exchanges) || s.exchanges[x].head == 0 {
		return wire.Head{}, false
	}
	return s.headOf(s.exchanges[x].head)
}

// answerHead returns the head of the response to an exchange.
func (s *Script) answerHead(x uint32) (wire.Head, bool) {
	if int(x) >= len(s.exchanges) || s.exchanges[x].resp == 0 {
		return wire.Head{}, false
	}
	return s.headOf(s.exchanges[x].resp)
}

func (s *Script) headOf(frame uint32) (wire.Head, bool) {
	f, err := s.reader.Frame(uint64(frame))
	if err != nil {
		return wire.Head{}, false
	}
	return wire.ParseHead(f.Data)
}

// answerBytes returns the raw message that answered a call.
func (s *Script) answerBytes(call int32) ([]byte, error) {
	r := s.row(s.Calls[call].Row)
	if r.Response == 0 {
		return nil, fmt.Errorf("call #%d of %s has no answer", r.Request, s.Path)
	}
	return s.element(r.Response, r.RBatch)
}

func isBatch(payload []byte) bool {
	text := bytes.TrimLeft(payload, " \t\r\n")
	return len(text) > 0 && text[0] == '['
}
