// Package wire is the vocabulary of midwire: what is seen on a connection
// between an MCP client and an MCP server, and how bytes fall into frames,
// heads, events and JSON-RPC messages.
//
// Everything here is pure: no I/O, no clock, no goroutine. Framers are push
// style: they are given bytes as they arrive and never ask for more.
package wire

import "time"

// Kind says what a frame is.
type Kind uint8

// The kinds of frame. The names in comments are those of the recording.
const (
	KindNone     Kind = iota
	KindStart         // start: a process was started; the payload is a Start
	KindExit          // exit: a process ended; the payload is an Exit
	KindLine          // line: one line on stdin or stdout of a stdio server
	KindStderr        // stderr: one line on the server's standard error
	KindOpen          // open: a client connected; the payload is an Open
	KindRequest       // request: the raw head of an HTTP request
	KindResponse      // response: the raw head of an HTTP response (1xx too)
	KindBody          // body: the content of an HTTP message, transfer coding removed
	KindEvent         // event: one SSE block, with the blank line that ends it
	KindTrailer       // trailer: the raw trailer section of a chunked message
	KindRaw           // raw: bytes that could not be framed, or an upgraded connection
	KindClose         // close: a stream or a connection ended; the payload is a Close
	KindEdit          // edit: we changed something on the way; the payload is an Edit
	KindGate          // gate: a user or a rule intervened; the payload is a JSON object
	KindGap           // gap: something was not recorded; the payload is a Gap
	KindNote          // note: a fact about the tap itself; the payload is a Note
	KindEnd           // end: the recording was finished properly; the payload is an End
	KindSignal        // signal: midwire got a signal that ends up at the server; the payload is a Signal
	kindCount
)

var kindNames = [kindCount]string{
	"", "start", "exit", "line", "stderr", "open", "request", "response", "body", "event",
	"trailer", "raw", "close", "edit", "gate", "gap", "note", "end", "signal",
}

// String returns the name the kind has in a recording.
func (k Kind) String() string {
	if k < kindCount {
		return kindNames[k]
	}
	return "?"
}

// ParseKind returns the kind of that name, or KindNone for a name it does not
// know: a newer midwire may have written it.
func ParseKind(name string) Kind {
	for i, n := range kindNames {
		if n == name {
			return Kind(i)
		}
	}
	return KindNone
}

// Dir is the way a frame went.
type Dir byte

// The directions, spelled as in a recording.
const (
	NoDir    Dir = 0
	ToServer Dir = '>'
	ToClient Dir = '<'
)

// Opposite returns the other direction; NoDir stays NoDir.
func (d Dir) Opposite() Dir {
	switch d {
	case ToServer:
		return ToClient
	case ToClient:
		return ToServer
	}
	return NoDir
}

// Part says that a frame is not a whole unit.
type Part uint8

// The parts. A unit that came whole is one frame with Whole. One that was too
// long to keep in memory is several frames: More, More, …, then Whole or Cut.
// Cut is a unit whose end never came: the connection broke, or the process
// died, in the middle of it.
const (
	Whole Part = iota
	More
	Cut
)

// Frame is one observed unit of bytes, or one fact about a connection or a
// process. Frames of one recording are numbered from 1 without holes, in the
// order in which the tap saw them.
//
// The bytes belong to the maker of the frame. A receiver that keeps them
// longer than the call in which it got the frame copies them.
type Frame struct {
	N    uint64 // sequence number, from 1
	T    int64  // nanoseconds since the recording started, monotonic
	Kind Kind
	Dir  Dir
	Part Part

	// Conn is the client's connection, numbered from 1 in a recording; 0 on
	// stdio and for facts about no connection.
	Conn uint32
	// X is the exchange: the process (always 1 on stdio), or the HTTP exchange,
	// numbered from 1 in a recording. Every frame of one exchange has its X:
	// request, bodies, response, events, close. 0 where there is none.
	X uint32

	// EOL is the terminator of a line or stderr frame: "\n", "\r\n", or "" for
	// a last line without one. Empty for every other kind.
	EOL string

	// Len is the length of the payload on the wire in bytes. It differs from
	// len(Data) only when secrets in Data were masked, or when the payload was
	// not loaded.
	Len int
	// Masked says that secrets in Data were replaced.
	Masked bool
	// Data is the payload as it was on the wire, without the EOL.
	Data []byte
}

// HoldsMessages reports whether the frame's kind can carry JSON-RPC.
func (f *Frame) HoldsMessages() bool {
	return f.Kind == KindLine || f.Kind == KindBody || f.Kind == KindEvent
}

// Payload returns the bytes that should be a JSON-RPC message or batch: the
// line, the body, or the data of the SSE event. The result shares memory with
// f.Data unless an event had several data lines.
func (f *Frame) Payload() []byte {
	if f.Kind == KindEvent {
		return ParseEvent(f.Data).Data
	}
	return f.Data
}

// Start is the payload of a KindStart frame.
type Start struct {
	Command []string  `json:"command"`
	Pid     int       `json:"pid,omitempty"`
	Error   string    `json:"error,omitempty"` // why it could not be started
	Files   []Program `json:"files,omitempty"` // what it was made of
}

// Program is a file that a server was started from: the program, the script that it
// runs, and the file that describes its package.
type Program struct {
	Path     string    `json:"path"` // links followed
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Hash     string    `json:"hash,omitempty"` // SHA-256 over the first and the last 64 KiB, in part
}

// Exit is the payload of a KindExit frame: how the process ended.
type Exit struct {
	Code   int    `json:"code"`             // as a shell would say it: 128+n for a signal
	Signal string `json:"signal,omitempty"` // "SIGKILL"
	Lost   bool   `json:"lost,omitempty"`   // it was ended by us
}

// Signal is the payload of a KindSignal frame: midwire received a signal that was
// meant for the server.
type Signal struct {
	Signal string `json:"signal"`          // "SIGTERM"
	Group  bool   `json:"group,omitempty"` // it was sent to the process group: the server has it too, and midwire did not forward it
}

// Open is the payload of a KindOpen frame: a client has connected.
type Open struct {
	Client   string `json:"client"`             // address of the client
	Upstream string `json:"upstream,omitempty"` // address we connected to on its behalf
	Proto    string `json:"proto,omitempty"`    // how the upstream is spoken to, when not plain HTTP/1.1: "tls", "h2"
	Error    string `json:"error,omitempty"`    // why the upstream could not be reached
	// Host is HOST:PORT as the client asked a forward proxy for it.
	Host string `json:"host,omitempty"`
	// Agent is who asked the forward proxy, where the client did not continue: its
	// User-Agent, or the runtime that asks in that way, like Node.
	Agent string `json:"agent,omitempty"`
}

// ProtoTunnel is the Proto of a connection through a forward proxy that was
// passed on unread.
const ProtoTunnel = "tunnel"

// Who ended a stream.
const (
	ByClient = "client"
	ByServer = "server"
	ByUs     = "midwire"
)

// Close is the payload of a KindClose frame. With X it ends one HTTP exchange:
// no further frame of it follows. Without X it ends the connection; on stdio it
// is the end of stdin (ToServer) or stdout (ToClient).
type Close struct {
	By    string `json:"by"`              // ByClient, ByServer or ByUs
	Clean bool   `json:"clean"`           // ended as the protocol wants it, not reset or cut off
	Error string `json:"error,omitempty"` // what the operating system said

	// Left is when the client's side of the connection ended, as the time of a frame, where
	// that was well before the end of the exchange; 0 for not seen.
	Left int64 `json:"left,omitempty"`

	// Of a tunnel: how many bytes went to the server and to the client.
	Sent     int64 `json:"sent,omitempty"`
	Received int64 `json:"received,omitempty"`
	// Refused says that the client does not trust the certificate with which a
	// forward proxy stood in for the server: its TLS alert, like unknown_ca, or
	// RefusedSilently.
	Refused string `json:"refused,omitempty"`
}

// RefusedSilently is a client that left right behind the handshake, without a
// request and without an alert. Some clients look at certificates only then.
const RefusedSilently = "left"

// Edit is the payload of a KindEdit frame. It stands close to the frame it
// speaks of, which shows the bytes as they were received. An edit of Host holds
// for the rest of the connection.
type Edit struct {
	// What is "host", "endpoint", "location", "auth-url", "answer", "http2", "alpn", "connection", "request-target",
	// "proxy-field" or one of those below.
	What string `json:"what"`
	Was  string `json:"was"`
	Now  string `json:"now"`
}

// The edits that take out of a request what was said to a forward proxy alone.
const (
	EditTarget     = "request-target"
	EditProxyField = "proxy-field"
)

// IsHop says whether what an Edit says is only that a request is passed on by a forward
// proxy, and no longer addressed to it (RFC 9112 section 3.2, RFC 9110 section 7.6.1).
func IsHop(what string) bool { return what == EditTarget || what == EditProxyField }

// What an Edit says of a server that is restarted behind its client.
const (
	EditReload         = "reload"          // a step that was done
	EditReloadEnded    = "reload-ended"    // the server ended, and no one had asked it to
	EditReloadFailed   = "reload-failed"   // the new process cannot be used
	EditReloadResponse = "reload-response" // it answers initialize differently; Was and Now are in words
	EditReloadDropped  = "reload-dropped"  // a message was of the process before
)

// Gap is the payload of a KindGap frame: what was forwarded and not recorded.
type Gap struct {
	Frames int64  `json:"frames"` // whole frames, when known; 0 when only bytes are
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
}

// Note is the payload of a KindNote frame.
type Note struct {
	Text string `json:"text"`
	// Stall says that what midwire writes to a side is not read there; nil where the note is
	// about something else.
	Stall *Stall `json:"stall,omitempty"`
}

// Stall is a write of ours that has not returned.
type Stall struct {
	By    string `json:"by"` // who does not read: ByClient or ByServer
	Of    string `json:"of"` // "stdin", "stdout" or "stderr" of the server
	Bytes int64  `json:"bytes"`
	MS    int64  `json:"ms"` // how long it has waited so far
}

// End is the payload of a KindEnd frame.
type End struct {
	Frames uint64 `json:"frames"` // how many came before this one
}
