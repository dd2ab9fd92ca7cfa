// Package session interprets frames: which session a frame belongs to, which
// request a response answers, and where a session is in its life cycle.
//
// It is a pure, deterministic reducer: the same frames always give the same
// sessions, so old recordings gain from later insights. It has no I/O, no clock
// and no goroutine; one goroutine at a time may use a Tracker.
package session

import (
	"midwire/session/mcp"
	"midwire/session/wire"
)

// Transport is how the two sides of a session talk.
type Transport uint8

// The transports. TransportHTTP is Streamable HTTP of any protocol version,
// TransportSSE the HTTP+SSE of 2024-11-05.
const (
	TransportUnknown Transport = iota
	TransportStdio
	TransportHTTP
	TransportSSE
)

// String returns "stdio", "http", "sse" or "unknown".
func (t Transport) String() string {
	return [...]string{"unknown", "stdio", "http", "sse"}[t]
}

// IDSource says where the id of a session came from.
type IDSource uint8

// The sources of a session id.
const (
	IDNone     IDSource = iota // the session has no id on the wire
	IDServer                   // assigned by the server at initialize
	IDEndpoint                 // in the endpoint event of HTTP+SSE
	IDClient                   // the client sent it before or with its initialize: invented
	IDForeign                  // the client sent it and no server assigned it while we watched
	IDReplaced                 // assigned by the server in place of another one
	IDQuery                    // carried in the query of the URL
	IDMeta                     // carried in _meta
	IDArgument                 // carried in a tool argument
)

// String returns a short word for the source, as `midwire ls --json` prints it;
// "none" when there is no id.
func (s IDSource) String() string {
	return [...]string{"none", "server", "endpoint", "client", "foreign", "replaced", "query", "meta", "argument"}[s]
}

// Peer is a client's or server's self-description.
type Peer struct {
	Name, Title, Version string
}

// State is a session's position in its life cycle.
type State uint8

// The states of a session. A modern conversation (2026-07-28) has no
// handshake: it is StateOperating from its first request.
const (
	StateNew          State = iota // nothing but noise or pings so far
	StateInitializing              // initialize sent, not responded
	StateNegotiated                // initialize responded, initialized not seen
	StateOperating
	StateFailed // initialize refused, or its transport ended before the response
	StateLost   // the server no longer knows the session (404)
	StateClosed // ended by either side
)

// String returns the state as a word.
func (s State) String() string {
	return [...]string{"new", "initializing", "negotiated", "operating", "failed", "lost", "closed"}[s]
}

// StepMark says how one step of the life cycle stands.
type StepMark uint8

// The marks of a step.
const (
	StepAhead StepMark = iota // not reached yet
	StepNow                   // where the session is
	StepDone
	StepBad // happened, and wrongly, or was refused
	StepSkipped
)

// LifeStep is one step of the life-cycle strip, in the order of display.
type LifeStep struct {
	Name  string // "spawn", "initialize", "initialized", "operating", "closed", "discover", …
	Mark  StepMark
	Frame uint64 // the frame that decided it; 0 when none did
	T     int64  // when, nanoseconds since the recording started
	Took  int64  // nanoseconds between question and response, 0 when that means nothing
	Note  string // a few words: "refused", "id issued", "late"
}

// Session is one session, or for traffic that has none one conversation.
type Session struct {
	Index           int // position in Tracker.Sessions, in order of first appearance
	Transport       Transport
	ProtocolVersion mcp.Version // negotiated; "" when it was never seen
	Modern          bool        // 2026-07-28 or later: no handshake, no session id

	ID       string   // the session id on the wire; "" when there is none
	IDSource IDSource // where ID came from
	// Why says why messages are grouped here: "one process run",
	// "Mcp-Session-Id header", "_meta openai/session", …
	Why string

	Client, Server Peer
	Endpoint       string // request target without query; "" on stdio
	State          State
	Steps          []LifeStep
	Probe          bool // nothing but a client's probe for the era

	// More is of the last session where there are more than can be told apart: it is all
	// that follow, and is not watched.
	More bool

	Started, Last int64 // first and latest frame, nanoseconds since the recording started
	Messages      int   // JSON-RPC messages, in both directions
	Calls         int   // requests, in both directions
	Errors        int   // calls that failed, and tool results with isError
	Pending       int   // calls without a response
	Noise         int   // stdout lines that are not JSON-RPC, and the like

	rows []uint32
}

// Rows returns the rows of the session in order. The slice belongs to the
// tracker and is valid until the next Apply.
func (s *Session) Rows() []uint32 { return s.rows }

// RowKind says what a row stands for.
type RowKind uint8

// The kinds of row.
const (
	RowCall         RowKind = iota // a request with all that belongs to it
	RowNotification                // one notification
	RowResponse                    // a response that responds nothing we saw
	RowNoise                       // a line, body or event that is not JSON-RPC where JSON-RPC belongs
	RowStderr                      // a line on the server's stderr
	// RowHTTP is an HTTP exchange without JSON-RPC in its request: GET streams,
	// DELETE, discovery, redirects.
	RowHTTP
	RowProcess // a process started, ended, closed stdin or stdout
	RowTap     // something about the tap itself: edit, gate, gap, note
)

// Row is one exchange as a person would count it: a request and its response,
// a notification, a line of noise. Rows hold no payloads; Request and Response
// name the frames to load.
type Row struct {
	Request  uint32 // frame that began the row: the message where there is one, else the HTTP head
	Response uint32 // frame that holds the response; 0 while there is none
	Session  int32  // index into Tracker.Sessions; -1 for none
	Kind     RowKind
	Dir      wire.Dir
	Ending   Ending
	Modern   bool   // the request carried the 2026-07-28 envelope
	Batch    uint16 // position within a batch, from 0
	RBatch   uint16 // the same for the response
	Name     uint32 // method, or for other kinds a short name; see Tracker.Name
	ID       uint32 // JSON-RPC id as it was written, quotes included; see Tracker.Name
	Parent   int32  // row this one belongs to (progress, cancelled, server request of a call, next round); -1 for none
	Count    uint16 // progress notifications and other events that belong to this call
	Status   uint16 // HTTP status, 0 when there is none
	Code     int32  // JSON-RPC error code, or exit code of a process; 0 when there is none
	Conn     uint32 // client connection, 0 on stdio
	X        uint32 // HTTP exchange of the request, 1 on stdio
	T        int64  // arrival of the request, nanoseconds since the recording started
	First    int64  // arrival of the first byte of any response; 0 while there is none
	End      int64  // arrival of the response, for its own stream (GET) its end; 0 while there is none
	Len      uint32 // bytes of the request
	RLen     uint32 // bytes of the response
}

// Latency is the time from request to response in nanoseconds; 0 while pending.
func (r *Row) Latency() int64 {
	if r.End == 0 {
		return 0
	}
	return r.End - r.T
}

// Step says what applying one frame changed.
type Step struct {
	Session int   // index of the session the frame belongs to; -1 for none
	First   int   // first row that was added; -1 when none was
	Added   int   // rows added
	Changed []int // older rows that changed, perhaps one twice; valid until the next Apply
}
